#include "base/ascii.h"

#include <gtest/gtest.h>

#include <cctype>

namespace outpost::ascii {
namespace {

TEST(Ascii, TouchesLettersOfAsciiAlone) {
  for (int value = 0; value < 256; ++value) {
    const char c = static_cast<char>(value);
    const bool in_ascii = value < 128;
    // The tests run in the locale "C", in which these know ASCII alone.
    EXPECT_EQ(to_lower(c), in_ascii ? static_cast<char>(std::tolower(value)) : c) << value;
    EXPECT_EQ(is_letter(c), in_ascii && std::isalpha(value) != 0) << value;
    EXPECT_EQ(is_digit(c), in_ascii && std::isdigit(value) != 0) << value;
  }
}

TEST(Ascii, LowersAndComparesTexts) {
  EXPECT_EQ(lower_case("File-ÄZ[@"), "file-Äz[@");
  EXPECT_TRUE(equal_any_case("WebSocket", "websockeT"));
  EXPECT_FALSE(equal_any_case("Ä", "ä"));
  EXPECT_FALSE(equal_any_case("a", "ab"));
  EXPECT_FALSE(equal_any_case("[", "{"));
}

}  // namespace
}  // namespace outpost::ascii
