#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>

#include "local/process/output_log.h"

namespace outpost::local {
namespace {

using capability::EventView;
using capability::OutputStream;
using capability::OutputView;
using Kind = capability::EventView::Kind;

/// What an output log is said to be, with nothing clever in it.
struct Model {
  struct Entry {
    std::uint64_t seq;
    Kind kind;
    OutputStream stream;
    std::string bytes;
    std::uint64_t sent_offset = 0;
  };

  void make_room(std::size_t bytes) {
    while (retained() + bytes > capacity) {
      entries.erase(std::ranges::find(entries, Kind::output, &Entry::kind));
    }
  }
  std::size_t retained() const {
    std::size_t sum = 0;
    for (const Entry& entry : entries) sum += entry.bytes.size();
    return sum;
  }
  const Entry* next_event(std::uint64_t after_seq) const {
    for (const Entry& entry : entries) {
      if (entry.seq > after_seq) return &entry;
    }
    return nullptr;
  }
  std::pair<std::vector<const Entry*>, std::uint64_t> read(std::uint64_t after_seq,
                                                           std::optional<std::uint64_t> bytes_max) const {
    std::vector<const Entry*> chunks;
    std::uint64_t sum = 0;
    for (const Entry& entry : entries) {
      if (entry.kind != Kind::output || entry.seq <= after_seq) continue;
      sum += entry.bytes.size();
      if (bytes_max && !chunks.empty() && sum > *bytes_max) break;
      chunks.push_back(&entry);
    }
    return {chunks, bytes_max && !chunks.empty() ? chunks.back()->seq + 1 : next_seq};
  }

  std::size_t capacity = 0;
  std::size_t position = 0;  // of the next byte in the ring
  std::deque<Entry> entries{};
  std::uint64_t next_seq = 1;
};

class Trial {
 public:
  Trial(std::uint64_t seed, std::size_t capacity) : random_(seed), log_(capacity), model_{.capacity = capacity} {}

  void run() {
    for (int step = 0; step < 3000; ++step) {
      if (exited_ && !closed_ && chance(2000)) close();
      if (!exited_ && chance(1500)) exit();
      if (!closed_) append();
      note_sent();
      compare_events();
      compare_reads();
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  bool chance(std::uint64_t one_in) { return pick(one_in) == 0; }
  std::uint64_t any_seq() { return chance(50) ? UINT64_MAX - pick(2) : pick(model_.next_seq + 2); }

  void append() {
    std::string bytes(1 + pick(chance(20) ? model_.capacity : 50), '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    const OutputStream stream = chance(2) ? OutputStream::stdout : OutputStream::stderr;
    log_.append(stream, as_bytes(bytes));
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = std::min(rest.size(), model_.capacity - model_.position);
      model_.make_room(size);
      model_.entries.push_back({model_.next_seq++, Kind::output, stream, std::string(rest.substr(0, size))});
      model_.position = (model_.position + size) % model_.capacity;
      rest.remove_prefix(size);
    }
    ASSERT_EQ(log_.state().next_seq, model_.next_seq);
  }
  void exit() {
    exited_ = true;
    ASSERT_EQ(log_.append_exit(7, false), model_.next_seq);
    model_.entries.push_back({model_.next_seq++, Kind::exited, {}, {}});
  }
  void close() {
    closed_ = true;
    ASSERT_EQ(log_.append_close(), model_.next_seq);
    model_.entries.push_back({model_.next_seq++, Kind::closed, {}, {}});
  }
  void note_sent() {
    const std::uint64_t seq = any_seq();
    const std::uint64_t offset = 1 + pick(1000);
    log_.note_sent(seq, offset);
    for (auto& entry : model_.entries) {
      if (entry.seq == seq && entry.kind == Kind::output && entry.sent_offset == 0) entry.sent_offset = offset;
      if (entry.kind == Kind::output) ASSERT_EQ(log_.sent_offset(entry.seq), entry.sent_offset);
    }
  }
  void compare_events() {
    const std::uint64_t after = any_seq();
    const auto event = log_.next_event(after);
    const Model::Entry* expected = model_.next_event(after);
    ASSERT_EQ(event.has_value(), expected != nullptr) << "after " << after;
    if (!event) return;
    EXPECT_EQ(event->seq, expected->seq);
    EXPECT_EQ(event->kind, expected->kind);
    EXPECT_EQ(as_text(event->bytes), expected->bytes);
    if (event->kind == Kind::output) EXPECT_EQ(event->stream, expected->stream);
    if (event->kind == Kind::exited) EXPECT_EQ(event->exit_code, 7);
  }
  void compare_reads() {
    const std::uint64_t after = any_seq();
    const auto bytes_max = chance(3) ? std::nullopt : std::optional(pick(200));
    std::vector<OutputView> chunks;
    const std::uint64_t next = log_.read(after, bytes_max, chunks);
    const auto [expected, expected_next] = model_.read(after, bytes_max);
    EXPECT_EQ(next, expected_next);
    ASSERT_EQ(chunks.size(), expected.size()) << "after " << after;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      EXPECT_EQ(chunks[i].seq, expected[i]->seq);
      EXPECT_EQ(chunks[i].stream, expected[i]->stream);
      EXPECT_EQ(as_text(chunks[i].bytes), expected[i]->bytes);
    }
    EXPECT_EQ(log_.retained_bytes(), model_.retained());
    EXPECT_EQ(log_.state().next_seq, model_.next_seq);
  }

  std::mt19937_64 random_;
  OutputLog log_;
  Model model_;
  bool exited_ = false, closed_ = false;
};

TEST(OutputLog, AgreesWithASimpleModel) {
  const std::uint64_t first_seed = std::random_device{}();
  RecordProperty("seed", std::to_string(first_seed));
  std::uint64_t seed = first_seed;
  for (const std::size_t capacity : {1UL, 2UL, 7UL, 100UL, 1021UL, 4096UL, 5000UL}) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", capacity " + std::to_string(capacity));
    Trial(seed++, capacity).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace outpost::local
