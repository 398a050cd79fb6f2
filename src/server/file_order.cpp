#include "server/file_order.h"

#include <algorithm>
#include <utility>

namespace outpost::server {

void FileOrder::add(Number number, FileTurn turn, bool has_handle, std::string key, Task begin) {
  entries_.push_back(
      {.number = number, .turn = turn, .has_handle = has_handle, .key = std::move(key), .begin = std::move(begin)});
  advance();
}

bool FileOrder::start_waits(const std::string& process_id) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.turn == FileTurn::start && !entry.begun && entry.key == process_id;
  });
}

void FileOrder::follow_start(const std::string& process_id, Task begin) {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.turn == FileTurn::start && entry.key == process_id;
  });
  entries_.insert(
      last.base(),
      {.number = next_++, .turn = FileTurn::start, .has_handle = false, .key = process_id, .begin = std::move(begin)});
  advance();
}

void FileOrder::finished(Number number) {
  const auto found = std::ranges::find(entries_, number, &Entry::number);
  if (found == entries_.end()) return;
  if (advancing_) {
    // The entry may be the one that is being begun.
    found->done = true;
    again_ = true;
    return;
  }
  entries_.erase(found);
  advance();
}

FileTurn FileOrder::turn_of(const Entry& entry) const {
  if (entry.turn != FileTurn::close) return entry.turn;
  return reading_handles_.contains(entry.key) ? FileTurn::read : FileTurn::mutation;
}

bool FileOrder::may_begin(const Entry& entry, FileTurn turn, const Seen& seen) {
  if (entry.has_handle && seen.handles.contains(entry.key)) return false;
  switch (turn) {
    case FileTurn::read:
      return !seen.mutation && !seen.blocks;
    case FileTurn::block:
      return !seen.mutation && !seen.reads;
    case FileTurn::start:
      return !seen.mutation && !seen.blocks;
    case FileTurn::mutation:
    case FileTurn::close:
      return !seen.mutation && !seen.blocks && !seen.reads;
  }
  std::unreachable();
}

bool FileOrder::pass() {
  Seen seen;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const FileTurn turn = turn_of(*entry);
    if (!entry->begun && !entry->done && may_begin(*entry, turn, seen)) {
      if (!may_begin_()) return false;
      entry->begun = true;
      entry->done = turn == FileTurn::start;
      Task begin = std::move(entry->begin);
      begin();
    }
    if (entry->done) {
      entry = entries_.erase(entry);
      continue;
    }
    seen.reads |= turn == FileTurn::read;
    seen.blocks |= turn == FileTurn::block;
    seen.mutation |= turn == FileTurn::mutation;
    if (entry->has_handle) seen.handles.insert(entry->key);
    if (seen.mutation || (seen.reads && seen.blocks)) break;
    ++entry;
  }
  return true;
}

void FileOrder::advance() {
  if (std::exchange(advancing_, true)) {
    again_ = true;
    return;
  }
  do again_ = false;
  while (pass() && again_);
  advancing_ = false;
}

void FileOrder::clear() {
  entries_.clear();
  reading_handles_.clear();
}

}  // namespace outpost::server
