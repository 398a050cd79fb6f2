// R17, R18: memory doesn't grow with what commands print, also when the client stops to read; and nothing is lost.
#include <thread>

#include "report.h"

#include "base/limits/units.h"

namespace outpost {
namespace {

constexpr std::size_t total_bytes = 300'000'000;
constexpr std::size_t growth_kib_max = 16 * 1024;
constexpr std::string_view line = "abcdefgh\n";

/// Checks that the bytes are those of `yes abcdefgh`, as they come.
class Expected {
 public:
  void take(ByteView bytes) {
    if (pattern_.empty()) {
      while (pattern_.size() < limits::mib) pattern_ += line;
    }
    const std::string_view text = as_text(bytes);
    right_ = right_ && text == std::string_view(pattern_).substr(size_ % line.size(), text.size());
    size_ += bytes.size();
  }
  std::size_t size() const { return size_; }
  bool right() const { return right_; }

 private:
  std::string pattern_;
  std::size_t size_ = 0;
  bool right_ = true;
};

class MemoryReport : public Report {
 protected:
  /// Prints 300 MB; `interlude` comes when some of it was read.
  void print_much(const std::function<void()>& interlude) {
    Expected expected;
    client.on_output = [&](const wire::OutputEvent& event) { expected.take(event.chunk.bytes.view()); };
    const pid_t pid = server.server_pid();
    const std::size_t before = testing::status_kib(pid, "VmRSS");
    testing::reset_peak(pid);
    client.shell("p", "yes abcdefgh | head -c " + std::to_string(total_bytes));
    client.wait_until([&] { return expected.size() > total_bytes / 10; });
    interlude();
    client.wait_closed("p");
    EXPECT_EQ(expected.size(), total_bytes);
    EXPECT_TRUE(expected.right());
    EXPECT_LT(testing::status_kib(pid, "VmHWM"), before + growth_kib_max);
  }
};

TEST_F(MemoryReport, R17MemoryDoesNotGrowWithOutput) {
  print_much([] {});
}

TEST_F(MemoryReport, R18ClientThatStopsToReadStopsTheProcess) {
  // Time is what the case is about: a server without bounds would read on all the while.
  print_much([] { std::this_thread::sleep_for(std::chrono::seconds(4)); });
}

}  // namespace
}  // namespace outpost
