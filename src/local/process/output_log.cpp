#include "local/process/output_log.h"

#include <algorithm>

#include "base/check.h"

namespace outpost::local {

using capability::EventView;
using capability::OutputView;

OutputLog::OutputLog(std::size_t retain_bytes, capability::RetainedBudget* budget)
    : ring_(retain_bytes), budget_(budget) {
  if (budget_ != nullptr) budget_->add(limits::retained_process_bytes);
}

OutputLog::~OutputLog() {
  if (budget_ != nullptr) budget_->remove(limits::retained_process_bytes + retained_bytes());
}

void OutputLog::append(capability::OutputStream stream, ByteView bytes) {
  OUTPOST_CHECK(close_seq_ == 0);
  while (!bytes.empty()) {
    const std::size_t size = std::min({bytes.size(), limits::output_chunk_bytes_max, ring_.contiguous_at(end_)});
    append_entry(stream, bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

void OutputLog::make_room(std::size_t bytes) {
  while (free_bytes() < bytes || entries_.size() >= limits::retained_output_entries_max) evict_oldest();
  if (budget_ == nullptr) return;
  // Where all logs together are full, what may go of this one makes room for its own new output.
  const auto may_go = [&] { return keep_ == capability::Keep::newest ? !entries_.empty() : free_entries_ > 0; };
  while (budget_->lacks(bytes) && may_go()) evict_oldest();
  budget_->add(bytes);
}

std::size_t OutputLog::evict_proved(std::size_t bytes) {
  const std::size_t before = retained_bytes();
  while (before - retained_bytes() < bytes && free_entries_ > 0) evict_oldest();
  return before - retained_bytes();
}

void OutputLog::append_entry(capability::OutputStream stream, ByteView bytes) {
  make_room(bytes.size());
  std::ranges::copy(bytes, ring_.writable(end_, bytes.size()).begin());
  Entry entry;
  entry.seq = next_seq_++;
  entry.position = end_;
  entry.size = static_cast<std::uint32_t>(bytes.size());
  entry.stream = stream;
  entries_.push_back(entry);
  end_ += bytes.size();
}

std::uint64_t OutputLog::append_exit(int exit_code, bool sandbox_denied) {
  OUTPOST_CHECK(exit_seq_ == 0 && close_seq_ == 0);
  exit_code_ = exit_code;
  sandbox_denied_ = sandbox_denied;
  exit_seq_ = next_seq_;
  return next_seq_++;
}

std::uint64_t OutputLog::append_close() {
  OUTPOST_CHECK(exit_seq_ != 0 && close_seq_ == 0);
  close_seq_ = next_seq_;
  ring_.trim(end_);
  return next_seq_++;
}

void OutputLog::begin_delivery() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].sent_offset != proved_offset) entries_[i].sent_offset = 0;
  }
  backlog_end_ = next_seq_ - 1;
  backlog_released_ = false;
  last_offset_ = 0;
  free_entries_ = 0;
  advance();
}

void OutputLog::note_sent(std::uint64_t seq, std::uint64_t offset) {
  last_offset_ = std::max(last_offset_, offset);
  const std::size_t index = index_after(seq - 1);
  if (index >= entries_.size() || entries_[index].seq != seq) return;
  // Where it was sent twice the first counts: what is pushed stays in the order of its offsets.
  if (entries_[index].sent_offset == 0) entries_[index].sent_offset = offset;
}

void OutputLog::prove_sent(std::uint64_t offset) {
  for (std::size_t i = free_entries_; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.sent_offset == proved_offset) continue;
    if (entry.sent_offset != 0 && entry.sent_offset <= offset) {
      entry.sent_offset = proved_offset;
    } else if (entry.seq > backlog_end_) {
      break;  // what is pushed is sent in order; only the backlog is sent when it is asked for
    }
  }
  advance();
}

void OutputLog::prove_through(std::uint64_t seq) {
  for (std::size_t i = free_entries_; i < entries_.size() && entries_[i].seq <= seq; ++i) {
    entries_[i].sent_offset = proved_offset;
  }
  advance();
}

void OutputLog::release_backlog() {
  backlog_released_ = true;
  advance();
}

bool OutputLog::is_free(const Entry& entry) const {
  if (entry.sent_offset == proved_offset) return true;
  return backlog_released_ && entry.seq <= backlog_end_ && entry.sent_offset == 0;
}

void OutputLog::advance() {
  while (free_entries_ < entries_.size() && is_free(entries_[free_entries_])) ++free_entries_;
}

std::size_t OutputLog::room() const {
  if (keep_ == capability::Keep::newest) return SIZE_MAX;
  std::size_t bytes = ring_.capacity() - static_cast<std::size_t>(end_ - kept_position());
  if (budget_ != nullptr && budget_->full())
    bytes = std::min(bytes, static_cast<std::size_t>(kept_position() - begin_));
  const std::size_t entries = limits::retained_output_entries_max - (entries_.size() - free_entries_);
  if (entries == 0) return 0;
  // The ring may wrap, which takes one more entry.
  if (entries == 1) return std::min({bytes, limits::output_chunk_bytes_max, ring_.contiguous_at(end_)});
  return std::min(bytes, (entries - 1) * limits::output_chunk_bytes_max);
}

capability::Undelivered OutputLog::undelivered() const {
  capability::Undelivered facts;
  if (free_entries_ == entries_.size()) return facts;
  facts.bytes = static_cast<std::size_t>(end_ - kept_position());
  const std::uint64_t first = entries_[free_entries_].sent_offset;
  facts.sent_offset = first != 0 ? first : last_offset_;
  return facts;
}

std::uint64_t OutputLog::sent_offset(std::uint64_t seq) const {
  const std::size_t index = index_after(seq - 1);
  return index < entries_.size() && entries_[index].seq == seq ? entries_[index].sent_offset : 0;
}

capability::ProcessState OutputLog::state() const {
  capability::ProcessState state;
  state.next_seq = next_seq_;
  state.closed = close_seq_ != 0;
  state.sandbox_denied = sandbox_denied_;
  if (exit_seq_ != 0) state.exit_code = exit_code_;
  return state;
}

std::uint64_t OutputLog::first_seq() const {
  return entries_.empty() ? next_seq_ : entries_.front().seq;
}

std::optional<EventView> OutputLog::next_event(std::uint64_t after_seq) const {
  const std::size_t index = index_after(after_seq);
  const std::uint64_t output_seq = index < entries_.size() ? entries_[index].seq : next_seq_;
  if (exit_seq_ > after_seq && exit_seq_ < output_seq) {
    EventView exited{EventView::Kind::exited, exit_seq_};
    exited.exit_code = exit_code_;
    exited.sandbox_denied = sandbox_denied_;
    return exited;
  }
  if (index < entries_.size()) {
    const Entry& entry = entries_[index];
    return EventView{EventView::Kind::output, entry.seq, entry.stream, bytes_of(entry)};
  }
  if (close_seq_ > after_seq) return EventView{EventView::Kind::closed, close_seq_};
  return std::nullopt;
}

std::uint64_t OutputLog::read(std::uint64_t after_seq, std::optional<std::uint64_t> bytes_max,
                              std::vector<OutputView>& chunks) const {
  std::uint64_t sum = 0;
  for (std::size_t i = index_after(after_seq); i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    sum += entry.size;
    if (bytes_max && !chunks.empty() && sum > *bytes_max) break;
    chunks.push_back({.seq = entry.seq, .stream = entry.stream, .bytes = bytes_of(entry)});
  }
  // With a bound the reader goes on behind what it got, even when nothing was cut off.
  return bytes_max && !chunks.empty() ? chunks.back().seq + 1 : next_seq_;
}

void OutputLog::keep_head(const Entry& entry) {
  if (entry.position >= limits::output_head_bytes) return;
  if (head_.empty()) head_ = Bytes(limits::output_head_bytes);
  const auto position = static_cast<std::size_t>(entry.position);
  const std::size_t size = std::min<std::size_t>(entry.size, limits::output_head_bytes - position);
  std::ranges::copy(bytes_of(entry).first(size), head_.data() + position);
  head_entries_.push_back({.seq = entry.seq, .position = position, .size = size, .stream = entry.stream});
}

void OutputLog::add_head(std::uint64_t end, std::vector<OutputView>& chunks) const {
  for (const HeadEntry& entry : head_entries_) {
    if (entry.position >= end) return;
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, end - entry.position));
    chunks.push_back({.seq = entry.seq, .stream = entry.stream, .bytes = head_.view().subspan(entry.position, size)});
  }
}

void OutputLog::add_retained(std::uint64_t begin, std::uint64_t end, std::vector<OutputView>& chunks) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const std::uint64_t from = std::max(begin, entry.position), to = std::min(end, entry.position + entry.size);
    if (from >= to) continue;
    const ByteView bytes = bytes_of(entry).subspan(static_cast<std::size_t>(from - entry.position));
    chunks.push_back(
        {.seq = entry.seq, .stream = entry.stream, .bytes = bytes.first(static_cast<std::size_t>(to - from))});
  }
}

capability::Excerpt OutputLog::excerpt(std::size_t head, std::size_t tail, std::vector<OutputView>& chunks) const {
  capability::Excerpt excerpt;
  excerpt.total_bytes = end_;
  const auto head_end = std::min<std::uint64_t>({head, limits::output_head_bytes, end_});
  const std::uint64_t tail_begin = std::max<std::uint64_t>(end_ - std::min<std::uint64_t>(tail, end_), begin_);
  if (tail_begin <= head_end) {
    // Pieces are evicted whole, so what was kept of them and the ring meet between two.
    add_head(begin_, chunks);
    add_retained(begin_, end_, chunks);
    return excerpt;
  }
  add_head(head_end, chunks);
  add_retained(begin_, head_end, chunks);
  excerpt.omitted_bytes = tail_begin - head_end;
  excerpt.omitted_after_seq = chunks.empty() ? 0 : chunks.back().seq;
  add_retained(tail_begin, end_, chunks);
  return excerpt;
}

void OutputLog::evict_oldest() {
  OUTPOST_CHECK(!entries_.empty());
  keep_head(entries_.front());
  begin_ += entries_.front().size;
  if (budget_ != nullptr) budget_->remove(entries_.front().size);
  entries_.pop_front();
  if (free_entries_ > 0) --free_entries_;
}

std::size_t OutputLog::index_after(std::uint64_t after_seq) const {
  if (entries_.empty() || after_seq < entries_.front().seq) return 0;
  // Only the exit can lie between outputs, so the entry is where counting puts it, or one before.
  const std::uint64_t distance = after_seq - entries_.front().seq + 1;
  std::size_t index = static_cast<std::size_t>(std::min<std::uint64_t>(distance, entries_.size()));
  while (index > 0 && entries_[index - 1].seq > after_seq) --index;
  return index;
}

}  // namespace outpost::local
