// R60: breaks of the network don't end a long command; nothing of its output is lost, nothing comes twice.
#include "resumed.h"

namespace outpost {

TEST_F(ResumeReport, R60AProcessOutlivesManyBreaksWithAllItsOutput) {
  client->shell("p", "for i in $(seq 1 60); do echo $i; sleep 0.02; done");
  std::string text;
  std::uint64_t seq = 0;
  const auto catch_up = [&] {
    const wire::ReadResult news = read("p", seq);
    text += text_of(news);
    seq = news.next_seq - 1;
    return news.closed;
  };
  for (int breaks = 0; breaks < 5; ++breaks) {
    const std::uint64_t before = seq;
    while (!catch_up() && seq < before + 3) continue;
    cut();
    resume();
  }
  while (!catch_up()) continue;
  std::string expected;
  for (int i = 1; i <= 60; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(text, expected);
}

}  // namespace outpost
