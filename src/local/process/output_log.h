#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/limits/processes.h"
#include "capability/process_host.h"
#include "capability/retained_budget.h"
#include "local/process/entry_queue.h"
#include "local/process/output_ring.h"

namespace outpost::local {

/// All that a process did, as one sequence: output of its streams, its exit and its close are numbered together from 1
/// without a gap (processes-and-sessions 6). Exit and close are kept for good; of the output the newest `retain_bytes`
/// and at most `limits::retained_output_entries_max` pieces, the oldest going first, whole (7).
///
/// Pushed notifications and process/read are two readers of the same log: each asks for what lies behind the number it
/// has. The bytes are kept raw; base64 is made on the way out.
///
///   seq      1        2        3        4       5
///   entry  output   output   exited   output  closed        output after the exit is ordinary
///
/// What the client has is proved by receipts or by reading on from it (extensions 5). Unless only the newest output is
/// kept, nothing is evicted from the first entry on that isn't free, so that `room` ends:
///
///   free: proved or released | kept: from the first that is neither | room
///
/// Pure: no descriptors, no clock. Not for several threads.
class OutputLog {
 public:
  /// `budget`: what all logs have together; null: any amount. It must outlive the log.
  explicit OutputLog(std::size_t retain_bytes = limits::retained_output_bytes,
                     capability::RetainedBudget* budget = nullptr);
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;
  ~OutputLog();

  /// Appends output, in entries of at most `limits::output_chunk_bytes_max` and one more where the ring wraps; not more
  /// than `room`. The oldest output makes room, no more of it than is needed. Not after `append_close`.
  void append(capability::OutputStream stream, ByteView bytes);
  /// At most once, before `append_close`.
  std::uint64_t append_exit(int exit_code, bool sandbox_denied);
  /// At most once and last; nothing may be appended afterwards.
  std::uint64_t append_close();

  void set_keep(capability::Keep keep) { keep_ = keep; }
  capability::Keep keep() const { return keep_; }
  /// Bytes that may be appended now.
  std::size_t room() const;
  /// See the members of `capability::Process` of the same names.
  void begin_delivery();
  void note_sent(std::uint64_t seq, std::uint64_t offset);
  void prove_sent(std::uint64_t offset);
  void prove_through(std::uint64_t seq);
  void release_backlog();
  capability::Undelivered undelivered() const;
  std::size_t evict_proved(std::size_t bytes);
  /// What `note_sent` was told first of a retained entry, `proved_offset` once it is proved; 0 for none.
  std::uint64_t sent_offset(std::uint64_t seq) const;

  capability::ProcessState state() const;
  /// The lowest number of retained output, or `next_seq` if there is none.
  std::uint64_t first_seq() const;
  std::size_t retained_bytes() const { return static_cast<std::size_t>(end_ - begin_); }
  std::size_t retain_bytes_max() const { return ring_.capacity(); }

  std::optional<capability::EventView> next_event(std::uint64_t after_seq) const;
  /// See `capability::Process::excerpt`.
  capability::Excerpt excerpt(std::size_t head, std::size_t tail, std::vector<capability::OutputView>& chunks) const;
  /// process/read: see `capability::Process::read`.
  std::uint64_t read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                     std::vector<capability::OutputView>& chunks) const;

 private:
  void make_room(std::size_t bytes);
  std::size_t free_bytes() const { return ring_.capacity() - retained_bytes(); }
  void append_entry(capability::OutputStream stream, ByteView bytes);
  void evict_oldest();
  bool is_free(const Entry& entry) const;
  void advance();
  std::uint64_t kept_position() const {
    return free_entries_ < entries_.size() ? entries_[free_entries_].position : end_;
  }
  /// An entry is about to go: what views need of it is copied.
  void keep_head(const Entry& entry);
  /// Adds what is before `end` of the output that has gone, and what is in [begin, end) of the retained one; positions
  /// are since the beginning.
  void add_head(std::uint64_t end, std::vector<capability::OutputView>& chunks) const;
  void add_retained(std::uint64_t begin, std::uint64_t end, std::vector<capability::OutputView>& chunks) const;
  /// Index of the first retained output entry with a number above `after_seq`.
  std::size_t index_after(std::uint64_t after_seq) const;
  ByteView bytes_of(const Entry& entry) const { return ring_.at(entry.position, entry.size); }

  struct HeadEntry {
    std::uint64_t seq = 0;
    std::size_t position = 0;  // in the head
    std::size_t size = 0;
    capability::OutputStream stream{};
  };

  OutputRing ring_;
  capability::RetainedBudget* budget_;
  std::vector<HeadEntry> head_entries_;  // of the first output, as far as it isn't retained
  Bytes head_;
  EntryQueue entries_;  // output only, ascending
  capability::Keep keep_ = capability::Keep::newest;
  std::size_t free_entries_ = 0;   // leading ones that may be evicted in any case
  std::uint64_t backlog_end_ = 0;  // the last number when the delivery began
  bool backlog_released_ = false;
  std::uint64_t last_offset_ = 0;  // the highest that was noted in this delivery
  std::uint64_t begin_ = 0;        // positions in the ring: what is retained is [begin_, end_)
  std::uint64_t end_ = 0;
  std::uint64_t next_seq_ = 1;
  std::uint64_t exit_seq_ = 0;  // 0: not yet
  std::uint64_t close_seq_ = 0;
  int exit_code_ = 0;
  bool sandbox_denied_ = false;
};

}  // namespace outpost::local
