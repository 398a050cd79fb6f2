#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/loop.h"

namespace outpost::server {

/// What a file request of one connection waits for (processes-and-sessions 4.2).
enum class FileTurn {
  read,      ///< runs beside other reads
  mutation,  ///< begins when all earlier ones are done; later ones begin when it is
  block,     ///< fs/writeBlock: as a mutation, but beside those of other handles
  close,     ///< a read if the handle was opened for reading, else a mutation
  start,     ///< not a file request: begins when all earlier mutations are done, and nothing waits for it
};

/// The order in which the file requests of one connection run, and the starts of processes behind them. Requests of one
/// handle are in order in any case. Pure.
class FileOrder {
 public:
  using Number = std::uint64_t;
  /// Told before each begin: false keeps all that wait waiting, until `advance`.
  explicit FileOrder(std::move_only_function<bool()> may_begin) : may_begin_(std::move(may_begin)) {}

  Number next_number() { return next_++; }
  /// `key`: the handle, empty for none, or the process of a start. `begin` is called when its turn has come, from
  /// within this call or later; what has begun runs until `finished`, but for starts, which are over then.
  void add(Number number, FileTurn turn, bool has_handle, std::string key, Task begin);
  /// A start or something else about a process whose start waits here: behind it, before what came later.
  void follow_start(const std::string& process_id, Task begin);
  bool start_waits(const std::string& process_id) const;
  /// It is done, or is given up while it waited.
  void finished(Number number);
  /// The handle is open for reading, or isn't any more.
  void opened_for_reading(const std::string& handle) { reading_handles_.insert(handle); }
  void not_for_reading(const std::string& handle) { reading_handles_.erase(handle); }
  void advance();
  /// Forgets everything.
  void clear();
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Number number;
    FileTurn turn;
    bool has_handle;
    std::string key;
    Task begin;  // empty once begun
    bool begun = false, done = false;
  };
  struct Seen {
    bool reads = false, blocks = false, mutation = false;
    std::unordered_set<std::string_view> handles;
  };
  FileTurn turn_of(const Entry& entry) const;
  static bool may_begin(const Entry& entry, FileTurn turn, const Seen& seen);
  bool pass();

  std::move_only_function<bool()> may_begin_;
  std::list<Entry> entries_;
  std::unordered_set<std::string> reading_handles_;
  Number next_ = 1;
  bool advancing_ = false, again_ = false;
};

}  // namespace outpost::server
