#include "wire/json_document.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/limits/messages.h"
#include "wire/json_parser.h"

namespace outpost::wire {
namespace {

class JsonDocumentTest : public testing::Test {
 protected:
  JsonView parse(std::string_view text) {
    text_ = text;
    auto parsed = parse_json(text_, document_);
    EXPECT_TRUE(parsed) << text;
    return document_.root();
  }
  JsonDocument document_;
  std::string text_;
};

TEST_F(JsonDocumentTest, AnAbsentViewReadsAsNull) {
  JsonView view;
  EXPECT_FALSE(view.present());
  EXPECT_TRUE(view.is_null());
  EXPECT_EQ(view.as_string(), "");
  EXPECT_EQ(view.as_int64(), std::nullopt);
  EXPECT_FALSE(view.find("a").present());
  EXPECT_EQ(view.members().begin(), view.members().end());
  EXPECT_TRUE(parse("null").present());
  EXPECT_TRUE(parse("null").is_null());
}

TEST_F(JsonDocumentTest, TellsTypes) {
  const JsonView root = parse(R"([null,true,1,18446744073709551615,1.5,"s",[],{}])");
  std::vector<JsonType> types;
  for (JsonView element : root.elements()) types.push_back(element.type());
  EXPECT_EQ(types, (std::vector{JsonType::null, JsonType::boolean, JsonType::number, JsonType::number, JsonType::number,
                                JsonType::string, JsonType::array, JsonType::object}));
}

TEST_F(JsonDocumentTest, WalksMembersAndElementsOverNestedValues) {
  const JsonView root = parse(R"({"a":[1,[2,{"x":3}],4],"b":{"c":{}},"d":"e"})");
  EXPECT_EQ(root.size(), 3u);
  std::string keys;
  for (const auto& [key, value] : root.members()) keys += key;
  EXPECT_EQ(keys, "abd");
  EXPECT_EQ(root.find("a").size(), 3u);
  std::size_t seen = 0;
  for (JsonView element : root.find("a").elements()) seen += element.present();
  EXPECT_EQ(seen, 3u);
  EXPECT_TRUE(root.find("b").find("c").is_object());
  EXPECT_EQ(root.find("d").as_string(), "e");
  EXPECT_FALSE(root.find("c").present());
  EXPECT_FALSE(root.find("a").find("x").present());
}

TEST_F(JsonDocumentTest, DecodesEscapesAndKeepsPlainStringsInTheText) {
  const JsonView root = parse(R"(["plain","\"\\\/\b\f\n\r\t","a\u00e9z\ud83d\ude00","\u0000","","tail\n"])");
  std::vector<std::string> strings;
  for (JsonView element : root.elements()) strings.emplace_back(element.as_string());
  EXPECT_EQ(strings,
            (std::vector<std::string>{"plain", "\"\\/\b\f\n\r\t", "aéz😀", std::string(1, '\0'), "", "tail\n"}));
  const std::string_view plain = (*root.elements().begin()).as_string();
  EXPECT_GE(plain.data(), text_.data());
  EXPECT_LT(plain.data(), text_.data() + text_.size());
}

TEST_F(JsonDocumentTest, DecodesLongStringsWithEscapesEverywhere) {
  std::string raw = "\"", decoded;
  for (int i = 0; i < 20000; ++i) {
    raw += i % 7 == 0 ? "\\n" : i % 5 == 0 ? "é" : "x";
    decoded += i % 7 == 0 ? "\n" : i % 5 == 0 ? "é" : "x";
  }
  EXPECT_EQ(parse(raw + "\"").as_string(), decoded);
}

TEST_F(JsonDocumentTest, ReadsSignedIntegersWhateverTheirSpelling) {
  EXPECT_EQ(parse("1").as_int64(), 1);
  EXPECT_EQ(parse("-0").as_int64(), 0);
  EXPECT_EQ(parse("1.0").as_int64(), 1);
  EXPECT_EQ(parse("-2.50e1").as_int64(), -25);
  EXPECT_EQ(parse("1e15").as_int64(), 1000000000000000);
  EXPECT_EQ(parse("9223372036854775807").as_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse("-9223372036854775808").as_int64(), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "9223372036854775808.0", "1.5", "1e400",
                           "-1e400", "\"1\"", "true", "null"}) {
    EXPECT_EQ(parse(text).as_int64(), std::nullopt) << text;
  }
}

TEST_F(JsonDocumentTest, ReadsUnsignedIntegersWhateverTheirSpelling) {
  EXPECT_EQ(parse("0").as_uint64(), 0u);
  EXPECT_EQ(parse("-0").as_uint64(), 0u);
  EXPECT_EQ(parse("1.0").as_uint64(), 1u);
  EXPECT_EQ(parse("1e19").as_uint64(), 10000000000000000000u);
  EXPECT_EQ(parse("18446744073709551615").as_uint64(), std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"18446744073709551616", "1e20", "-1", "-1.0", "0.5", "1e400", "\"1\"", "[]"}) {
    EXPECT_EQ(parse(text).as_uint64(), std::nullopt) << text;
  }
}

TEST_F(JsonDocumentTest, OnlyAnIntegerWrittenAsOneIsPlain) {
  EXPECT_EQ(parse("7").as_plain_int64(), 7);
  EXPECT_EQ(parse("-0").as_plain_int64(), 0);
  for (const char* text : {"7.0", "7e0", "9223372036854775808", "\"7\""}) {
    EXPECT_EQ(parse(text).as_plain_int64(), std::nullopt) << text;
  }
}

TEST_F(JsonDocumentTest, RoundsNumbersCorrectly) {
  EXPECT_EQ(parse("0.1").as_double(), 0.1);
  EXPECT_EQ(parse("2.2250738585072011e-308").as_double(), 2.2250738585072011e-308);
  EXPECT_EQ(parse("9007199254740993.0").as_double(), 9007199254740992.0);
  EXPECT_EQ(parse("123456789012345678901234567890").as_double(), 123456789012345678901234567890.0);
  EXPECT_EQ(parse("1e400").as_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse("18446744073709551615").as_double(), 18446744073709551615.0);
  EXPECT_EQ(parse("-3").as_double(), -3.0);
}

TEST_F(JsonDocumentTest, ForgetsWhatItHeld) {
  parse("[1]");
  document_.clear();
  EXPECT_FALSE(document_.root().present());
}

std::string array_of(std::size_t elements) {
  std::string text = "[0";
  for (std::size_t i = 1; i < elements; ++i) text += ",0";
  return text + "]";
}

TEST_F(JsonDocumentTest, KeepsMemoryForOrdinaryMessagesOnly) {
  parse(array_of(limits::json_nodes_kept - 1));
  document_.clear();
  const std::size_t kept = document_.memory_bytes();
  EXPECT_GT(kept, 0u);
  parse(array_of(limits::json_nodes_kept - 1));
  EXPECT_EQ(document_.memory_bytes(), kept);
  parse(array_of(limits::json_nodes_kept));
  document_.clear();
  EXPECT_EQ(document_.memory_bytes(), 0u);
}

TEST_F(JsonDocumentTest, KeepsMemoryForShortDecodedStringsOnly) {
  const auto text_of = [](std::size_t bytes) { return "\"\\n" + std::string(bytes - 4, 'x') + "\""; };
  parse("1");
  const std::size_t without = document_.memory_bytes();
  parse(text_of(limits::json_text_bytes_kept));
  document_.clear();
  EXPECT_EQ(document_.memory_bytes(), without + limits::json_text_bytes_kept);
  parse(text_of(limits::json_text_bytes_kept + 1));
  document_.clear();
  EXPECT_EQ(document_.memory_bytes(), without);
}

}  // namespace
}  // namespace outpost::wire
