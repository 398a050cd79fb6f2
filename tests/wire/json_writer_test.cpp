#include "wire/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "wire/json_parser.h"

namespace outpost::wire {
namespace {

std::string as_json(std::string_view text) {
  std::string out = "<";
  append_json_string(out, text);
  EXPECT_EQ(out.size(), json_string_size(text) + 1);
  return out.substr(1);
}

TEST(JsonWriter, EscapesAsTheReferenceDoes) {
  EXPECT_EQ(as_json(""), R"("")");
  EXPECT_EQ(as_json("plain text of more than sixteen bytes"), R"("plain text of more than sixteen bytes")");
  EXPECT_EQ(as_json("\"\\/\b\f\n\r\t"), R"("\"\\/\b\f\n\r\t")");
  EXPECT_EQ(as_json(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(as_json("é€😀"), "\"é€😀\"");
}

// The scan takes eight bytes at a time: every byte at every place of a word must be seen, and no other.
TEST(JsonWriter, EscapesEveryByteAtEveryPlace) {
  JsonDocument document;
  for (int code = 0; code < 128; ++code) {
    for (std::size_t place = 0; place < 17; ++place) {
      std::string text(17, 'a');
      text[place] = static_cast<char>(code);
      const std::string json = as_json(text);
      ASSERT_TRUE(parse_json(json, document)) << code << " at " << place;
      ASSERT_EQ(document.root().as_string(), text);
      const bool escaped = code < 0x20 || code == '"' || code == '\\';
      ASSERT_EQ(json.size() > text.size() + 2, escaped) << code << " at " << place;
    }
  }
}

TEST(JsonWriter, WritesIntegersOfExactSize) {
  for (std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10}, std::uint64_t{99}, std::uint64_t{100},
        std::uint64_t{999}, std::uint64_t{1000}, std::uint64_t{9999}, std::uint64_t{10000}, std::uint64_t{99999999},
        std::uint64_t{100000000}, std::numeric_limits<std::uint64_t>::max()}) {
    char buffer[20];
    EXPECT_EQ(std::string(buffer, write_decimal(buffer, number)), std::to_string(number));
    EXPECT_EQ(decimal_size(number), std::to_string(number).size());
  }
  for (std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-10}, std::int64_t{12},
                              std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    char buffer[20];
    EXPECT_EQ(std::string(buffer, write_decimal(buffer, number)), std::to_string(number));
    EXPECT_EQ(decimal_size(number), std::to_string(number).size());
  }
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.integer(1);
  writer.begin_object();
  writer.end_object();
  writer.begin_array();
  writer.end_array();
  writer.string("x\n");
  writer.end_array();
  writer.key("b\"");
  writer.null();
  writer.key("c");
  writer.boolean(true);
  writer.key("d");
  writer.base64(as_bytes("hi\n"));
  writer.key("e");
  writer.raw("[7]");
  writer.end_object();
  EXPECT_EQ(out, R"({"a":[1,{},[],"x\n"],"b\"":null,"c":true,"d":"aGkK","e":[7]})");
}

TEST(JsonWriter, WritesNumbers) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_array();
  writer.integer(std::int8_t{-5});
  writer.integer(std::numeric_limits<std::uint64_t>::max());
  writer.integer(std::numeric_limits<std::int64_t>::min());
  writer.real(0.5);
  writer.real(std::numeric_limits<double>::infinity());
  writer.end_array();
  EXPECT_EQ(out, "[-5,18446744073709551615,-9223372036854775808,0.5,null]");
}

TEST(JsonWriter, WritesParsedValuesBack) {
  const std::string text = R"({"a":[1,-2,1.5,18446744073709551615,true,null,"x\n",{"":[]}],"b":{}})";
  JsonDocument document;
  ASSERT_TRUE(parse_json(text, document));
  std::string out;
  JsonWriter(out).value(document.root());
  EXPECT_EQ(out, text);
}

}  // namespace
}  // namespace outpost::wire
