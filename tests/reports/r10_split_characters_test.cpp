// R10, R11: bytes go through untouched, characters that came in parts and bytes that are no UTF-8 included.
#include "report.h"

namespace outpost {

TEST_F(Report, R10CharacterInPartsKeepsItsBytes) {
  EXPECT_EQ(client.run_shell("p", R"(printf '\342'; sleep .2; printf '\211'; sleep .2; printf '\244')").out,
            "\xe2\x89\xa4");
}

TEST_F(Report, R11BytesThatAreNoUtf8KeepTheirValues) {
  EXPECT_EQ(client.run_shell("p", R"(printf '\106\162\347')").out, "\x46\x72\xe7");
}

TEST_F(Report, R11EveryByteGoesThroughBothWays) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  client.start("p", {"/usr/bin/head", "-c", "256"}, {.pipe_stdin = true});
  EXPECT_EQ(client.write("p", bytes, "w"), wire::WriteStatus::accepted);
  EXPECT_EQ(client.wait_closed("p").out, bytes);
}

}  // namespace outpost
