#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "base/loop.h"
#include "capability/process_host.h"
#include "rpc/reply.h"

namespace outpost::server {

/// One process/read as it was asked.
struct ReadQuery {
  std::uint64_t after_seq = 0;
  std::optional<std::uint64_t> bytes_max;
  std::chrono::milliseconds wait{0};
  struct View {
    std::size_t head = 0, tail = 0;
  };
  std::optional<View> view;  ///< then it waits for the close, and the two above are not used (extensions 13)
};

/// True if the process has something for this reader, or never will (processes-and-sessions 7).
bool has_news(const capability::Process& process, const ReadQuery& query);
/// One that was answered; nobody may have been there any more.
struct AnsweredRead {
  std::size_t message_bytes = 0;
  std::uint64_t next_seq = 1;
  bool view = false;
};
/// Answers with what is there now, and notes what of the output was sent.
AnsweredRead answer_read(capability::Process& process, const ReadQuery& query, rpc::Reply& reply);

/// The reads that wait for news of one process. Each is answered once: with news, or with what there is when its time
/// is up.
class WaitingReads {
 public:
  using OnAnswered = std::function<void(const AnsweredRead& answered)>;

  /// `on_answered` is told of every read that was answered with output or the lack of it.
  WaitingReads(Loop& loop, OnAnswered on_answered) : loop_(loop), on_answered_(std::move(on_answered)) {}

  /// Answers now, or keeps the read; refuses it when `limits::waiting_reads_per_process_max` wait already.
  void add(capability::Process& process, ReadQuery query, rpc::Reply reply);
  /// Answers those who have been waiting for what is there now.
  void serve(capability::Process& process);
  /// The connection they came from is gone.
  void drop_all() { reads_.clear(); }
  bool empty() const { return reads_.empty(); }

 private:
  struct Read {
    Read(Loop& loop, ReadQuery the_query, rpc::Reply the_reply)
        : query(the_query), reply(std::move(the_reply)), deadline(loop) {}
    ReadQuery query;
    rpc::Reply reply;
    Timer deadline;
  };

  Loop& loop_;
  OnAnswered on_answered_;
  std::list<Read> reads_;
};

}  // namespace outpost::server
