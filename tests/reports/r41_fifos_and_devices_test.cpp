// R41: reading a FIFO or /dev/zero never returns.
#include "file_report.h"

namespace outpost {

TEST_F(FileReport, R41WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  std::filesystem::create_symlink("p", path("link"));
  for (const wire::PathUri& what : {uri("p"), uri("link"), wire::PathUri{"file:///dev/zero"}}) {
    const std::string answer = read_file(what);
    EXPECT_NE(answer.find(R"({"error":{"code":-32600,"message":"path `)"), std::string::npos) << answer;
    EXPECT_NE(answer.find("is not a file"), std::string::npos) << answer;
  }
}

TEST_F(FileReport, R41AWriteToAFifoWithoutAReaderIsRefused) {
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  const auto written = write_file("p", "x");
  ASSERT_FALSE(written);
  EXPECT_TRUE(written.error().message.ends_with("(os error 6)")) << written.error().message;
}

}  // namespace outpost
