#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "capability/file_system.h"
#include "rpc/peer.h"
#include "server/file_order.h"

namespace outpost::server {

/// The file requests of one connection: their order, those that run, and the answers that wait for room. Belongs to the
/// loop of the connection, and ends with it.
class FileRequests {
 public:
  FileRequests(capability::FileSystem& files, rpc::Peer& peer);
  FileRequests(const FileRequests&) = delete;
  FileRequests& operator=(const FileRequests&) = delete;
  ~FileRequests();

  /// Runs the request in its turn and answers it.
  void add(capability::FileRequest request, rpc::Reply reply);
  /// See `FileOrder`. What is about a process that waits here for its start waits behind it.
  FileOrder& order() { return order_; }
  /// The connection takes more answers.
  void on_room();
  /// The connection is over: what runs is asked to stop, what waits is dropped.
  void end();

 private:
  using Number = FileOrder::Number;
  /// One that waits for its turn, runs, or waits for room for its answer.
  struct Request {
    rpc::Reply reply;
    std::stop_source stop;
    std::string handle;
    enum class Kind { other, open_read, open_write, close, read_block } kind = Kind::other;
    bool changes_nothing = false;  ///< so it can be given up at any time
    bool stops_half_way = false;
    bool begun = false;
    std::optional<Result<capability::FileAnswer>> answer = {};  ///< waits for room
  };
  static Request describe(const capability::FileRequest& request, rpc::Reply reply);
  void begin(Number number, capability::FileRequest request);
  void finish(Number number, Result<capability::FileAnswer> answer);
  void answer(Number number, Result<capability::FileAnswer> answer);
  void note_handle(const Request& request, bool good);
  void cancel(Number number);

  capability::FileSystem& files_;
  rpc::Peer& peer_;
  std::unique_ptr<capability::FileClient> client_;  // from the first request on
  FileOrder order_;
  std::unordered_map<Number, Request> requests_;
  std::deque<Number> held_;  // answers that wait for room, the longest waiting first
};

}  // namespace outpost::server
