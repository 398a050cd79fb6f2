// R19, R20: while the client is away the program goes on and the newest output is kept; what was dropped shows as a
// hole.
#include "resumed.h"

#include "base/limits/processes.h"

namespace outpost {
namespace {

class DetachedReport : public ResumeReport {
 protected:
  /// Cuts the connection before the program prints several megabytes, and resumes when it has printed its last line.
  wire::ReadResult output_of_an_absence() {
    client->shell("p", "echo first; read line; seq 1 700000; echo last; sleep 1000", {.pipe_stdin = true});
    client->wait_until([&] { return client->followed("p").out == "first\n"; });
    wire::WriteParams go;
    go.process_id = "p";
    go.chunk.bytes = Bytes::copy_of(as_bytes("\n"));
    go.write_id = "go";
    client->request("process/write", go);
    cut();
    resume();
    wire::ReadResult all = read("p", 1);
    // A program that blocked in its writes would never come to its last line, and the test to its end.
    while (!text_of(all).ends_with("last\n")) all = read("p", 1);
    return all;
  }
};

}  // namespace

TEST_F(DetachedReport, R19TheProgramGoesOnAndItsNewestOutputIsKept) {
  const wire::ReadResult all = output_of_an_absence();
  const std::string text = text_of(all);
  EXPECT_LE(text.size(), limits::retained_output_bytes);
  EXPECT_GT(text.size(), limits::retained_output_bytes - 2 * limits::output_chunk_bytes_max);
  EXPECT_TRUE(text.ends_with("\n699999\n700000\nlast\n"));
}

TEST_F(DetachedReport, R20WhatWasDroppedShowsAsAHole) {
  const wire::ReadResult all = output_of_an_absence();
  ASSERT_FALSE(all.chunks.empty());
  EXPECT_GT(all.chunks.front().seq, 2u);
  for (std::size_t i = 1; i < all.chunks.size(); ++i) EXPECT_EQ(all.chunks[i].seq, all.chunks[i - 1].seq + 1);
  EXPECT_EQ(all.next_seq, all.chunks.back().seq + 1);
}

}  // namespace outpost
