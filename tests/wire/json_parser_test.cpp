#include "wire/json_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "base/limits/messages.h"

namespace outpost::wire {
namespace {

std::string problem_of(std::string_view text) {
  JsonDocument document;
  auto parsed = parse_json(text, document);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().kind, ErrorKind::malformed_message);
  EXPECT_FALSE(document.root().present());
  return parsed.error().message;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

/// A message with `count` values: the object, two members, the array and its elements.
std::string message_with_values(std::size_t count, std::string_view last) {
  return R"({"id":1,"method":"x","params":[)" + repeated("0,", count - 5) + std::string(last) + "]}";
}

TEST(JsonParser, AcceptsEveryKindOfValue) {
  for (const char* text :
       {"null", "true", "false", "0", "-0", "-1.5e+7", "\"\"", "\"\\u00e9\\ud83d\\ude00\"", "[]", "{}",
        " [ 1 , { \"a\" : [ ] } ] ", "\"\x7f\"", "\"é€😀\"", "123456789012345678901234567890"}) {
    EXPECT_EQ(problem_of(text), "") << text;
  }
}

TEST(JsonParser, RefusesWhatIsNotJson) {
  for (const char* text : {"{",
                           "[",
                           "\"",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1,",
                           "nul",
                           "tru",
                           "+1",
                           "01",
                           "1.",
                           ".5",
                           "1e",
                           "-",
                           "[1,]",
                           "{\"a\":1,}",
                           "[1 2]",
                           "{\"a\" 1}",
                           "{a:1}",
                           "'a'",
                           "NaN",
                           "Infinity",
                           "// c\n1",
                           "/* c */ 1",
                           "\"\x01\"",
                           "\"\n\"",
                           "\"\\x\"",
                           "\"\\u12g4\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\xef\xbb\xbf{}"}) {
    EXPECT_NE(problem_of(text), "") << text;
  }
}

TEST(JsonParser, RefusesBytesThatAreNotUtf8) {
  for (const char* bytes : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_NE(problem_of("\"" + std::string(bytes) + "\""), "") << bytes;
    EXPECT_NE(problem_of("{\"" + std::string(bytes) + "\":1}"), "") << bytes;
    EXPECT_NE(problem_of("\"\\n" + std::string(bytes) + "\""), "") << bytes;
  }
  EXPECT_EQ(problem_of("{\"\xff\":1}"), "invalid unicode code point at line 1 column 3");
}

TEST(JsonParser, SaysWhereItStopped) {
  EXPECT_EQ(problem_of(""), "EOF while parsing a value at line 1 column 0");
  EXPECT_EQ(problem_of("  "), "EOF while parsing a value at line 1 column 2");
  EXPECT_EQ(problem_of("{}x"), "trailing characters at line 1 column 3");
  EXPECT_EQ(problem_of("{\"id\":1,\"method\":\"x\"} 5"), "trailing characters at line 1 column 23");
  EXPECT_EQ(problem_of("[1,\n 2 3]"), "invalid syntax at line 2 column 4");
}

TEST(JsonParser, NamesADuplicateKeyAndTheColumnOfItsClosingQuote) {
  EXPECT_EQ(problem_of(R"({"a":1,"a":2})"), "duplicate JSON object key `a` at line 1 column 10");
  EXPECT_EQ(problem_of("{\"id\":1,\"method\":\"x\",\n \"params\":{\"k\":1,\"\\u006b\":2}}"),
            "duplicate JSON object key `k` at line 2 column 25");
  EXPECT_EQ(problem_of(R"({"id":1,"method":"x","params":{"a\"b":[{"q":1,"q":1}]}})"),
            "duplicate JSON object key `q` at line 1 column 49");
  EXPECT_EQ(problem_of(R"({"":1,"":2})"), "duplicate JSON object key `` at line 1 column 8");
  EXPECT_EQ(problem_of(R"({"a":{"b":1},"b":{"b":1},"a":1})"), "duplicate JSON object key `a` at line 1 column 28");
  EXPECT_EQ(problem_of(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})"), "");
}

// Small and large objects are checked in different ways; both must find the first repetition, and nothing else.
TEST(JsonParser, FindsDuplicatesInObjectsOfAnySize) {
  for (std::size_t members : {2u, 23u, 24u, 25u, 26u, 200u}) {
    std::string object = "{";
    for (std::size_t i = 0; i < members; ++i) object += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":" + "[0]";
    EXPECT_EQ(problem_of(object + "}"), "") << members;
    for (std::size_t i : {std::size_t{0}, members / 2, members - 1}) {
      std::string twice = object + ",\"k" + std::to_string(i) + "\"";
      const std::string column = std::to_string(twice.size());
      EXPECT_EQ(problem_of(twice + ":1,\"k1\":2}"),
                "duplicate JSON object key `k" + std::to_string(i) + "` at line 1 column " + column);
    }
  }
}

TEST(JsonParser, ChecksAHugeObjectWithoutQuadraticWork) {
  std::string object = "{";
  for (std::size_t i = 0; i < limits::message_values_max - 1; ++i) {
    object += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(problem_of(object + "}"), "");
}

TEST(JsonParser, ShortensALongNameInAnError) {
  const std::string name(limits::quoted_text_bytes_max + 1, 'n');
  const std::string kept(limits::quoted_text_bytes_max, 'n');
  EXPECT_TRUE(problem_of("{\"" + name + "\":1,\"" + name + "\":1}")
                  .starts_with("duplicate JSON object key `" + kept + "…` at line 1 column "));
}

TEST(JsonParser, TakesAsManyLevelsAsAllowedAndNotOneMore) {
  constexpr std::size_t depth = limits::message_depth_max;
  EXPECT_EQ(problem_of(repeated("[", depth) + repeated("]", depth)), "");
  EXPECT_EQ(problem_of(repeated("[", depth + 1) + repeated("]", depth + 1)),
            "recursion limit exceeded at line 1 column 128");
  EXPECT_EQ(problem_of(R"({"id":1,"method":"x","params":)" + repeated("[", depth - 1) + repeated("]", depth - 1) + "}"),
            "");
  EXPECT_EQ(problem_of("{\"id\":1,\"method\":\"x\",\"params\":\n" + repeated("{\"a\":", depth) + "1" +
                       repeated("}", depth + 1)),
            "recursion limit exceeded at line 2 column 631");
  // Siblings don't add up.
  EXPECT_EQ(problem_of("[" + repeated("[[]],", 200) + "[]]"), "");
}

TEST(JsonParser, TakesAsManyValuesAsAllowedAndNotOneMore) {
  EXPECT_EQ(problem_of(message_with_values(limits::message_values_max, "0")), "");
  const std::string at_311 = "JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524311";
  for (const char* last : {"0", "12345", "\"abc\"", "true", "null", "[7]", "{\"a\":1}"}) {
    EXPECT_EQ(problem_of(message_with_values(limits::message_values_max + 1, last)), at_311) << last;
  }
  EXPECT_EQ(problem_of(message_with_values(limits::message_values_max, "0,  {\"a\":1}")),
            "JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524313");
  EXPECT_TRUE(
      problem_of(message_with_values(limits::message_values_max + 1, "\"\\n\"")).starts_with("JSON-RPC message"));
}

TEST(JsonParser, RefusesATextBeyondTheMessageLimit) {
  std::string text(limits::message_bytes_max - 2, ' ');
  text += "{}";
  EXPECT_EQ(problem_of(text), "");
  EXPECT_EQ(problem_of(text + " "), "message exceeds the limit of 67108864 bytes");
}

TEST(JsonParser, RefusesEveryPrefixOfAMessage) {
  const std::string text = R"({"id":-12,"a\u0041":["x\né",null,true,1.5e3,{"b":{}}]})";
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_NE(problem_of(text.substr(0, size)), "") << size;
  EXPECT_EQ(problem_of(text), "");
}

TEST(JsonParser, FillsOneDocumentAgainAndAgain) {
  JsonDocument document;
  ASSERT_TRUE(parse_json(R"(["\n1",2])", document));
  EXPECT_FALSE(parse_json(R"(["\n1",)", document));
  const std::string large = message_with_values(5000, "\"\\t\"");
  ASSERT_TRUE(parse_json(large, document));
  EXPECT_EQ(document.root().find("params").size(), 4996u);
  ASSERT_TRUE(parse_json(R"({"a\n":"b\n","c":"d"})", document));
  EXPECT_EQ(document.root().find("a\n").as_string(), "b\n");
  EXPECT_EQ(document.root().find("c").as_string(), "d");
}

}  // namespace
}  // namespace outpost::wire
