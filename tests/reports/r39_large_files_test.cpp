// R39: a file above the message limit kills the connection without a word.
#include "base/limits/messages.h"
#include "file_report.h"

namespace outpost {

TEST_F(FileReport, R39TwelveMebibytesAreWrittenInOneMessage) {
  const std::string text(12 * limits::mib, 'x');
  const auto written = write_file("file", text);
  EXPECT_TRUE(written) << written.error().message;
  EXPECT_EQ(contents("file"), text);
}

TEST_F(FileReport, R39WhatIsTooLongIsToldAndTheConnectionLivesOn) {
  client.request("fs/writeFile", write_params("file", std::string(limits::message_bytes_max, 'x')));
  const std::string refused = client.answer(-1);
  EXPECT_NE(refused.find("message exceeds the limit of 67108864 bytes"), std::string::npos) << refused.substr(0, 200);
  const auto written = write_file("file", "small");
  EXPECT_TRUE(written);
  EXPECT_EQ(contents("file"), "small");
}

}  // namespace outpost
