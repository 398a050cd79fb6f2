#include "wire/codec.h"

#include <gtest/gtest.h>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/limits/messages.h"
#include "wire/json_parser.h"

namespace outpost::wire {

enum class Color { red, dark_blue, linux_v2 };
BOOST_DESCRIBE_ENUM(Color, red, dark_blue, linux_v2)
enum class Pair { one, two };
BOOST_DESCRIBE_ENUM(Pair, one, two)

struct Inner {
  std::int32_t small = 0;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (small, text))

struct Everything {
  std::string text_value;
  bool flag = false;
  std::int64_t signed_64 = 0;
  std::uint64_t unsigned_64 = 0;
  std::uint32_t unsigned_32 = 0;
  double real = 0;
  std::optional<std::string> maybe;
  Nullable<std::int64_t> or_null;
  std::vector<Inner> inners;
  std::map<std::string, std::string> names;
  Color color = Color::red;
  Defaulted<bool, true> on_by_default;
  Base64Bytes bytes;
  PathUri path;
  Presence presence;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (text_value, flag, signed_64, unsigned_64, unsigned_32, real, maybe, or_null, inners, names,
                       color, on_by_default, bytes, path, presence))

struct OneInner {
  Inner inner;
  std::optional<Pair> pair;
};
BOOST_DESCRIBE_STRUCT(OneInner, (), (inner, pair))

struct SizeExtension {
  std::optional<Ranged<1, 65535>> rows;
  std::optional<Ranged<1, 65535>> cols;
  static constexpr std::array<ExtensionMember, 2> known_members{{{"rows", true}, {"cols", true}}};
};
BOOST_DESCRIBE_STRUCT(SizeExtension, (), (rows, cols))

struct SomeExtension {
  std::optional<Ranged<0, 60000>> grace_ms;
  Extension<SizeExtension> size;
  static constexpr std::array<ExtensionMember, 3> known_members{
      {{"onDetach", false}, {"size", true}, {"graceMs", true}}};
};
BOOST_DESCRIBE_STRUCT(SomeExtension, (), (grace_ms, size))

struct WithExtension {
  std::string id;
  Extension<SomeExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(WithExtension, (), (id, outpost))

struct TwoKnownExtension {
  static constexpr std::array<ExtensionMember, 2> known_members{{{"head", false}, {"tail", false}}};
};
BOOST_DESCRIBE_STRUCT(TwoKnownExtension, (), ())
struct OneKnownExtension {
  static constexpr std::array<ExtensionMember, 1> known_members{{{"graceMs", false}}};
};
BOOST_DESCRIBE_STRUCT(OneKnownExtension, (), ())

namespace {

template <class T>
Result<T> decoded(std::string_view text) {
  JsonDocument document;
  auto parsed = parse_json(text, document);
  EXPECT_TRUE(parsed) << text;
  return decode<T>(document.root());
}

template <class T>
std::string problem_of(std::string_view text) {
  auto value = decoded<T>(text);
  if (value) return "";
  EXPECT_EQ(value.error().kind, ErrorKind::invalid_params);
  return value.error().message;
}

constexpr std::string_view whole_text =
    R"({"textValue":"t\n","flag":true,"signed64":-5,"unsigned64":18446744073709551615,"unsigned32":4294967295,)"
    R"("real":0.5,"maybe":"m","orNull":null,"inners":[{"small":-1,"text":"x"},{"small":2,"text":""}],)"
    R"("names":{"a":"1","b":"2"},"color":"darkBlue","onByDefault":false,"bytes":"aGkK","path":"file:///x"})";

TEST(Codec, WritesWhatItReads) {
  auto value = decoded<Everything>(whole_text);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->text_value, "t\n");
  EXPECT_EQ(value->color, Color::dark_blue);
  EXPECT_EQ(value->inners.size(), 2u);
  EXPECT_EQ(as_text(value->bytes.bytes.view()), "hi\n");
  EXPECT_FALSE(value->on_by_default);
  std::string out;
  encode(out, *value);
  EXPECT_EQ(out, whole_text);
}

TEST(Codec, TakesAbsentAndNullMembersByTheirType) {
  const std::string required =
      R"({"textValue":"","flag":false,"signed64":0,"unsigned64":0,"unsigned32":0,"real":1,"inners":[],"names":{},)"
      R"("color":"linuxV2","bytes":"","path":"file:///")";
  auto absent = decoded<Everything>(required + "}");
  ASSERT_TRUE(absent) << absent.error().message;
  EXPECT_TRUE(absent->on_by_default);
  EXPECT_FALSE(absent->maybe);
  EXPECT_FALSE(absent->or_null);
  EXPECT_FALSE(absent->presence);
  auto null = decoded<Everything>(required + R"(,"maybe":null,"orNull":null,"presence":null})");
  ASSERT_TRUE(null) << null.error().message;
  EXPECT_FALSE(null->maybe);
  EXPECT_FALSE(null->presence);
  EXPECT_EQ(problem_of<Everything>(required + R"(,"onByDefault":null})"), "invalid type: null, expected a boolean");
  for (const char* given : {"{}", "0", "false", "\"\"", "[]"}) {
    auto value = decoded<Everything>(required + R"(,"presence":)" + given + "}");
    ASSERT_TRUE(value);
    EXPECT_TRUE(value->presence) << given;
  }
}

TEST(Codec, NamesTheWrongType) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"textValue":5})", "invalid type: number, expected a string"},
      {R"({"textValue":null})", "invalid type: null, expected a string"},
      {R"({"textValue":true})", "invalid type: boolean `true`, expected a string"},
      {R"({"textValue":[]})", "invalid type: sequence, expected a string"},
      {R"({"textValue":{}})", "invalid type: map, expected a string"},
      {R"({"flag":"x"})", R"(invalid type: string "x", expected a boolean)"},
      {R"({"flag":1})", "invalid type: number, expected a boolean"},
      {R"({"signed64":"x"})", R"(invalid type: string "x", expected i64)"},
      {R"({"unsigned64":{}})", "invalid type: map, expected u64"},
      {R"({"unsigned32":null})", "invalid type: null, expected u32"},
      {R"({"real":"1"})", R"(invalid type: string "1", expected f64)"},
      {R"({"maybe":5})", "invalid type: number, expected a string"},
      {R"({"inners":"x"})", R"(invalid type: string "x", expected a sequence)"},
      {R"({"inners":[5]})", "invalid type: number, expected struct Inner"},
      {R"({"names":[]})", "invalid type: sequence, expected a map"},
      {R"({"names":{"a":1}})", "invalid type: number, expected a string"},
      {R"({"color":5})", "invalid type: number, expected string or map"},
      {R"({"color":null})", "invalid type: null, expected string or map"},
      {R"({"color":{"red":null}})", "invalid type: map, expected a string"},
      {R"({"bytes":5})", "invalid type: number, expected a string"},
      {R"({"path":5})", "invalid type: number, expected a string"},
      {"5", "invalid type: number, expected struct Everything"},
      {"null", "invalid type: null, expected struct Everything"},
      {"[]", "invalid type: sequence, expected struct Everything"},
      {R"("a\"b\n\u0007é")", R"(invalid type: string "a\"b\n\u{7}é", expected struct Everything)"},
  };
  for (const auto& [text, problem] : rows) EXPECT_EQ(problem_of<Everything>(text), problem) << text;
  EXPECT_EQ(decode<Everything>(JsonView()).error().message, "invalid type: null, expected struct Everything");
}

TEST(Codec, RefusesNumbersThatDoNotFit) {
  const char* bad[] = {R"({"unsigned64":-1})",
                       R"({"unsigned64":1.5})",
                       R"({"unsigned64":1e400})",
                       R"({"unsigned64":1e20})",
                       R"({"signed64":0.5})",
                       R"({"signed64":1e19})",
                       R"({"unsigned32":4294967296})",
                       R"({"unsigned32":-1})",
                       R"({"real":1e400})",
                       R"({"inners":[{"small":2147483648}]})",
                       R"({"inners":[{"small":-2147483649}]})"};
  for (const char* text : bad) EXPECT_EQ(problem_of<Everything>(text), "invalid number") << text;
  EXPECT_EQ(decoded<Inner>(R"({"small":-2147483648.0,"text":""})")->small, INT32_MIN);
  EXPECT_EQ(decoded<Inner>(R"({"small":1e3,"text":""})")->small, 1000);
}

TEST(Codec, ListsTheVariantsInOrder) {
  EXPECT_EQ(problem_of<Everything>(R"({"color":"x"})"),
            "unknown variant `x`, expected one of `red`, `darkBlue`, `linuxV2`");
  EXPECT_EQ(problem_of<Everything>(R"({"color":"dark_blue"})"),
            "unknown variant `dark_blue`, expected one of `red`, `darkBlue`, `linuxV2`");
  EXPECT_EQ(problem_of<OneInner>(R"({"pair":""})"), "unknown variant ``, expected `one` or `two`");
}

TEST(Codec, PassesOnWhatBase64Says) {
  EXPECT_EQ(problem_of<Everything>(R"({"bytes":"####"})"), "Invalid symbol 35, offset 0.");
  EXPECT_EQ(problem_of<Everything>(R"({"bytes":"YQ"})"), "Invalid padding");
}

TEST(Codec, TellsTheFirstWrongTypeInDocumentOrder) {
  EXPECT_EQ(problem_of<Inner>(R"({"text":5,"small":"x"})"), "invalid type: number, expected a string");
  EXPECT_EQ(problem_of<Inner>(R"({"small":"x","text":5})"), R"(invalid type: string "x", expected i32)");
}

TEST(Codec, TellsMissingFieldsAfterWrongTypesInDeclarationOrder) {
  EXPECT_EQ(problem_of<Inner>("{}"), "missing field `small`");
  EXPECT_EQ(problem_of<Inner>(R"({"small":1})"), "missing field `text`");
  EXPECT_EQ(problem_of<Inner>(R"({"text":5})"), "invalid type: number, expected a string");
  EXPECT_EQ(problem_of<OneInner>(R"({"inner":{},"pair":"x"})"), "missing field `small`");
  EXPECT_EQ(problem_of<OneInner>("{}"), "missing field `inner`");
}

TEST(Codec, IgnoresUnknownMembers) {
  EXPECT_EQ(problem_of<Inner>(R"({"x":{"deep":[1]},"small":1,"Text":5,"text":"","":null})"), "");
}

TEST(Codec, TakesNoParamsInTheirThreeForms) {
  EXPECT_TRUE(decode<NoParams>(JsonView()));
  EXPECT_EQ(problem_of<NoParams>("null"), "");
  EXPECT_EQ(problem_of<NoParams>("{}"), "");
  EXPECT_EQ(problem_of<NoParams>(R"({"a":1})"), "invalid type: map, expected unit");
  EXPECT_EQ(problem_of<NoParams>("[]"), "invalid type: sequence, expected unit");
  EXPECT_EQ(problem_of<NoParams>("5"), "invalid type: number, expected unit");
}

TEST(Codec, ShortensLongTextsInErrors) {
  const std::string text(limits::quoted_text_bytes_max + 1, 'n');
  const std::string kept(limits::quoted_text_bytes_max, 'n');
  EXPECT_EQ(problem_of<bool>('"' + kept + '"'), "invalid type: string \"" + kept + "\", expected a boolean");
  EXPECT_EQ(problem_of<bool>('"' + text + '"'), "invalid type: string \"" + kept + "…\", expected a boolean");
  // A character is never cut in two.
  EXPECT_EQ(problem_of<bool>('"' + kept.substr(1) + "é\""),
            "invalid type: string \"" + kept.substr(1) + "…\", expected a boolean");
}

TEST(Extension, TakesNothingInItsThreeFormsAsNotGiven) {
  for (const char* text : {R"({"id":""})", R"({"id":"","outpost":null})", R"({"id":"","outpost":{}})",
                           R"({"id":"","outpost":{"graceMs":null,"nonsense":null}})"}) {
    auto value = decoded<WithExtension>(text);
    ASSERT_TRUE(value) << text << value.error().message;
    EXPECT_FALSE(value->outpost.given) << text;
  }
  auto given = decoded<WithExtension>(R"({"id":"","outpost":{"graceMs":5,"size":{"rows":1,"cols":65535}}})");
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_TRUE(given->outpost.given);
  EXPECT_EQ(given->outpost.members.grace_ms->value, 5);
  EXPECT_EQ(given->outpost.members.size.members.cols->value, 65535);
  std::string out;
  encode(out, *given);
  EXPECT_EQ(out, R"({"id":"","outpost":{"graceMs":5,"size":{"rows":1,"cols":65535}}})");
}

TEST(Extension, RefusesWhatIsNoMap) {
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":"x"})"), R"(invalid type: string "x", expected a map)");
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":[]})"), "invalid type: sequence, expected a map");
}

TEST(Extension, ListsAllMembersOfTheMethodForAnUnknownOne) {
  const std::string listed = ", expected one of `onDetach`, `size`, `graceMs`";
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"x":1}})"), "unknown field `outpost.x`" + listed);
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"onDetach":"hold"}})"),
            "unknown field `outpost.onDetach`" + listed);
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"grace_ms":1}})"),
            "unknown field `outpost.grace_ms`" + listed);
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"size":{"x":1}}})"),
            "unknown field `outpost.size.x`, expected `rows` or `cols`");
}

TEST(Extension, CountsTheListedMembers) {
  JsonDocument document;
  ASSERT_TRUE(parse_json(R"({"x":1})", document));
  const auto problem = [&]<class T>(Extension<T>) {
    detail::DecodeContext context;
    Extension<T> out;
    context.enter("outpost");
    EXPECT_TRUE(detail::Decoder<Extension<T>>::read(document.root(), out, context));
    return context.take_error().message;
  };
  EXPECT_EQ(problem(Extension<NoExtension>()), "unknown field `outpost.x`, there are no expected fields");
  EXPECT_EQ(problem(Extension<OneKnownExtension>()), "unknown field `outpost.x`, expected `graceMs`");
  EXPECT_EQ(problem(Extension<TwoKnownExtension>()), "unknown field `outpost.x`, expected `head` or `tail`");
}

TEST(Extension, TellsUnknownMembersAfterEverythingElse) {
  EXPECT_EQ(problem_of<WithExtension>(R"({"outpost":{"x":1}})"), "missing field `id`");
  EXPECT_EQ(problem_of<WithExtension>(R"({"outpost":{"x":1},"id":5})"), "invalid type: number, expected a string");
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"x":1,"y":2,"graceMs":"z"}})"),
            R"(invalid type: string "z", expected an integer)");
}

TEST(Extension, NamesTheRangeInFull) {
  const std::string grace = "outpost.graceMs must be between 0 and 60000";
  for (const char* value : {"-1", "60001", "1e300", "-1e300", "18446744073709551615"}) {
    EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"graceMs":)" + std::string(value) + "}}"), grace);
  }
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"graceMs":1.5}})"), "invalid number");
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"graceMs":0}})"), "");
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"graceMs":60000}})"), "");
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"size":{"rows":0}}})"),
            "outpost.size.rows must be between 1 and 65535");
  EXPECT_EQ(problem_of<WithExtension>(R"({"id":"","outpost":{"size":{"rows":1},"graceMs":-1}})"), grace);
}

}  // namespace
}  // namespace outpost::wire
