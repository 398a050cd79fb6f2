#include "local/files/ascii_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace outpost::local {
namespace {

TEST(AsciiText, LeavesAsciiAlone) {
  const AsciiText text("plain Z00000c3 text");
  EXPECT_EQ(text.text(), "plain Z00000c3 text");
  EXPECT_EQ(text.original("Z00000c3"), "Z00000c3");
}

TEST(AsciiText, GivesEachPartBack) {
  const std::string words = "caf\xc3\xa9 = '\xf0\x9f\x9a\x80'";
  const AsciiText text(words);
  EXPECT_TRUE(std::ranges::all_of(text.text(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  EXPECT_EQ(text.original(text.text()), words);
  EXPECT_EQ(text.original(text.text().substr(0, 3)), "caf");
  EXPECT_EQ(text.original(text.text().substr(0, 3 + 16)), "caf\xc3\xa9");
}

TEST(AsciiText, TakesAWordThatTheTextDoesNotHave) {
  const std::string words = "Z00000c3 Z00001\xc3\xa9 Z00003 Zz Z0000";
  const AsciiText text(words);
  EXPECT_NE(text.text().find("Z00002c3"), std::string::npos) << text.text();
  EXPECT_EQ(text.original(text.text()), words);
}

TEST(AsciiText, LeavesAWordThatWasCutApart) {
  const AsciiText text("\xff");
  EXPECT_EQ(text.original("Z00000"), "Z00000");
  EXPECT_EQ(text.original("Z00000f"), "Z00000f");
  EXPECT_EQ(text.original("Z00000ff"), "\xff");
  EXPECT_EQ(text.original("Z00000Z00000ff"), "Z00000\xff");
}

}  // namespace
}  // namespace outpost::local
