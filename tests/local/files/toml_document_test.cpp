#include "local/files/toml_document.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/limits/configuration.h"

namespace outpost::local {
namespace {

std::string cut(std::string_view text, const std::vector<wire::KeyPath>& paths) {
  const auto document = TomlDocument::parse(text);
  return document ? document->cut(paths) : document.error().message;
}

TEST(TomlDocument, GivesWhatWasAskedForInTheOrderOfTheFile) {
  const std::string text = R"(z = 1
model="a"
hidden = 2
[mcp_servers.a]
url = "x"
env = {B="1", A="2"}
[mcp_servers."b c".d]
k=1
[mcp_servers]
x = 5
[secret]
y = 1
)";
  EXPECT_EQ(cut(text, {{"model"}, {"z"}}), "z = 1\nmodel = \"a\"\n");
  EXPECT_EQ(
      cut(text, {{"mcp_servers"}, {"z"}, {"mcp_servers", "a", "url"}}),
      "z = 1\n\n[mcp_servers]\nx = 5\n\n[mcp_servers.a]\nurl = \"x\"\n\n[mcp_servers.a.env]\nB = \"1\"\nA = \"2\"\n"
      "\n[mcp_servers.\"b c\".d]\nk = 1\n");
  EXPECT_EQ(cut(text, {{"mcp_servers", "b c"}}), "[mcp_servers.\"b c\".d]\nk = 1\n");
  EXPECT_EQ(cut(text, {{"nope"}, {"mcp_servers.a"}}), "");
}

TEST(TomlDocument, AnAncestorStaysSoThatItCanCoverALowerLayer) {
  const std::string text = "z = 1\ne = [1, 2]\n[h.i.j]\nk = 1\n[empty]\n";
  EXPECT_EQ(cut(text, {{"z", "q"}, {"e", "0"}}), "z = 1\ne = [1, 2]\n");
  EXPECT_EQ(cut(text, {{"h", "x"}}), "[h]\n");
  EXPECT_EQ(cut(text, {{"h", "i", "nope"}, {"empty", "x"}}), "[h.i]\n\n[empty]\n");
}

TEST(TomlDocument, WritesEveryKindOfValue) {
  const std::string text =
      "a = \"q\\\"b\\\\n\\nt\\tc\\u0001\xc3\xa9\"\nb = 'C:\\x'\nc = 1_000\nd = 0xff\ne = 1.0\nf = -inf\n"
      "g = nan\nh = 1e30\ni = true\nj = 1979-05-27T07:32:00Z\nk = 07:32:00\nl = 1979-05-27\n"
      "m = []\nn = [1, {x = 1, \"y z\" = \"s\"}, [{}]]\no = -0.1\n\"\" = 1\n";
  std::vector<wire::KeyPath> paths;
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", ""}) {
    paths.push_back({key});
  }
  const std::string expected =
      "a = \"q\\\"b\\\\n\\nt\\tc\\u0001\xc3\xa9\"\nb = \"C:\\\\x\"\nc = 1000\nd = 255\ne = 1.0\n"
      "f = -inf\ng = nan\nh = 1e+30\ni = true\nj = 1979-05-27T07:32:00Z\nk = 07:32:00\n"
      "l = 1979-05-27\nm = []\nn = [1, { x = 1, \"y z\" = \"s\" }, [{}]]\no = -0.1\n\"\" = 1\n";
  EXPECT_EQ(cut(text, paths), expected);
  EXPECT_EQ(cut(expected, paths), expected) << "what is written reads the same";
}

TEST(TomlDocument, ListsOfTablesHaveAHeaderEach) {
  const std::string text = "arr = [{name = \"1\", sub = {q = 1}}, {}]\n";
  const std::string expected = "[[arr]]\nname = \"1\"\n\n[arr.sub]\nq = 1\n\n[[arr]]\n";
  EXPECT_EQ(cut(text, {{"arr"}}), expected);
  EXPECT_EQ(cut(expected, {{"arr", "name"}}), expected);
}

TEST(TomlDocument, FaultsHaveTheirPlace) {
  for (const char* text : {"a = = 1\n", "a = 1\na = 2\n", "b = [1,\n", "a = \"\xff\"\n", "\"unclosed", "= 1", "[.a]",
                           "[ .a]", "[a..b]", "[[.]]"}) {
    const auto document = TomlDocument::parse(text);
    ASSERT_FALSE(document) << text;
    EXPECT_EQ(document.error().kind, ErrorKind::io);
    EXPECT_TRUE(document.error().message[0] >= '1' && document.error().message[1] == ':') << document.error().message;
  }
  EXPECT_TRUE(TomlDocument::parse("a = = 1\n").error().message.starts_with("1:5: "));
}

TEST(TomlDocument, ControlCharactersAreRefusedBeforeTheParserSeesThem) {
  using namespace std::string_literals;
  EXPECT_EQ(TomlDocument::parse("a = 1\n[\0.b]"s).error().message, "2:2: control character");
  EXPECT_EQ(TomlDocument::parse("a = '\x7f'"s).error().message, "1:6: control character");
  EXPECT_TRUE(TomlDocument::parse("\ta = 1\r\n"));
  EXPECT_EQ(TomlDocument::parse("a = 1\n\xef\xb9\xbf").error().message, "2:1: unexpected character");
  EXPECT_TRUE(TomlDocument::parse("\"\xc3\xa9\" = '\xc3\xa9' # \xc3\xa9\nb = \"\"\"x\xc3\xa9\"\"\"\"\"\nc = 1"));
}

TEST(TomlDocument, NestingHasABound) {
  const auto key = [](std::size_t keys) {
    std::string text = "k";
    for (std::size_t i = 1; i < keys; ++i) text += ".k";
    return text;
  };
  const auto list = [](std::size_t depth) { return "a = " + std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(TomlDocument::parse(key(limits::toml_nesting_max) + " = 1"));
  EXPECT_TRUE(TomlDocument::parse("[" + key(limits::toml_nesting_max) + "]"));
  EXPECT_EQ(TomlDocument::parse("a = 1\n" + key(limits::toml_nesting_max + 1) + " = 1").error().message,
            "2:64: too many keys in a key with dots");
  EXPECT_FALSE(TomlDocument::parse("[" + key(500'000) + "]"));
  EXPECT_TRUE(TomlDocument::parse(list(limits::toml_nesting_max - 1)));
  EXPECT_FALSE(TomlDocument::parse(list(limits::toml_nesting_max + 1)));
  EXPECT_FALSE(TomlDocument::parse(list(300'000)));
  EXPECT_TRUE(TomlDocument::parse("[" + key(16) + "]\n" + key(16) + " = []"));
  EXPECT_EQ(TomlDocument::parse("[" + key(16) + "]\n" + key(17) + " = []").error().message, "1:1: nested too deeply");
  const std::string dots(100, '.');
  EXPECT_TRUE(TomlDocument::parse("a = \"" + dots + "\" # " + dots + "\nb = '" + dots + "'\nc = \"\"\"\n" + dots +
                                  "\\\"\n\"\"\"\nd = '''" + dots + "'''\n"));
}

TEST(TomlDocument, AnyBeginningOfAFileIsReadOrRefused) {
  const std::string text =
      "a = \"x\\\"\" # c\n[b.'c'.\"d\"]\nl = ['''x''', \"\"\"y\\\"\"\"\", {k = 1.5}]\nt = 1979-05-27T07:32:00Z\n";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)TomlDocument::parse(text.substr(0, size));
  EXPECT_TRUE(TomlDocument::parse(text));
}

TEST(TomlDocument, FindsATextByItsPath) {
  const auto document = TomlDocument::parse("[projects.\"/a.b\"]\ntrust_level = \"trusted\"\nn = 1\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->text_at({"projects", "/a.b", "trust_level"}), "trusted");
  EXPECT_EQ(document->text_at({"projects", "/a.b", "n"}), std::nullopt);
  EXPECT_EQ(document->text_at({"projects", "/a.b"}), std::nullopt);
  EXPECT_EQ(document->text_at({"projects", "/a.b", "n", "x"}), std::nullopt);
  EXPECT_EQ(document->text_at({"nope", "x"}), std::nullopt);
}

TEST(TomlDocument, KeepsCharactersBeyondAscii) {
  const auto document = TomlDocument::parse(
      "\xef\xbb\xbf\"caf\xc3\xa9\" = '\xf0\x9f\x9a\x80' # \xc3\xa9\n[\"\xc3\xa9\"]\nb = [{ c = \"\\u00e9Z00000c3\" "
      "}]\n");
  ASSERT_TRUE(document) << document.error().message;
  const std::vector<wire::KeyPath> paths = {{"caf\xc3\xa9"}, {"\xc3\xa9"}};
  EXPECT_EQ(document->cut(paths),
            "\"caf\xc3\xa9\" = \"\xf0\x9f\x9a\x80\"\n\n[[\"\xc3\xa9\".b]]\nc = \"\xc3\xa9Z00000c3\"\n");
  EXPECT_EQ(document->text_at({"caf\xc3\xa9"}), "\xf0\x9f\x9a\x80");
}

TEST(TomlDocument, RefusesWhatIsNotUtf8AndKeysThatAreTheSame) {
  EXPECT_EQ(TomlDocument::parse("a = '\xff'").error().message, "1:1: not UTF-8");
  EXPECT_EQ(TomlDocument::parse("\"\xc3\xa9\" = 1\n\"\\u00e9\" = 2").error().message, "1:1: a key is there twice");
  EXPECT_FALSE(TomlDocument::parse("a = 1PQ''''\xc3\xa9'"));
}

}  // namespace
}  // namespace outpost::local
