#include "wire/path_uri.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "base/limits/messages.h"

namespace outpost::wire {
namespace {

using namespace std::string_view_literals;

struct Accepted {
  std::string_view uri;
  std::string_view path;
};

void expect_paths(std::span<const Accepted> rows) {
  for (const Accepted& row : rows) {
    const auto path = path_from_uri(row.uri);
    if (!path) {
      ADD_FAILURE() << row.uri << ": " << path.error().message;
      continue;
    }
    EXPECT_EQ(*path, row.path) << row.uri;
    EXPECT_TRUE(check_path_uri(row.uri)) << row.uri;
    EXPECT_EQ(path_from_uri(uri_from_path(*path)), *path) << row.uri;
  }
}

TEST(PathUri, TakesEverySpellingOfTheRoot) {
  for (const std::string_view uri : {"file:", "file:/", "file://", "file:///", "file:////", "file:///..",
                                     "file:///%2f%2f", "file://localhost", "file://localhost/", "file:.", "file:\\"}) {
    EXPECT_EQ(path_from_uri(uri), "/") << uri;
  }
}

TEST(PathUri, TakesSchemeHostAndSlashesInEverySpelling) {
  constexpr Accepted rows[] = {{"file:///tmp/a", "/tmp/a"},
                               {"file:/tmp/a", "/tmp/a"},
                               {"file:tmp/a", "/tmp/a"},
                               {"FILE://LocalHost/tmp/a", "/tmp/a"},
                               {"file://%6cocalhost/tmp", "/tmp"},
                               {"file://LOCALHOST\\tmp", "/tmp"},
                               {"file:\\tmp\\a", "/tmp/a"},
                               {"file:\\\\\\tmp\\a", "/tmp/a"},
                               {"file://\\tmp", "/tmp"},
                               {"file:////tmp//a///x//", "/tmp/a/x"},
                               {"file://localhost//tmp", "/tmp"},
                               {"file:////localhost/tmp", "/localhost/tmp"},
                               {"file:////server/tmp", "/server/tmp"}};
  expect_paths(rows);
}

TEST(PathUri, DropsBlanksAtTheEndsAndLineBreaksAnywhere) {
  constexpr Accepted rows[] = {{"  file:///tmp/a \n", "/tmp/a"},      {"\0file:///tmp\0"sv, "/tmp"},
                               {"\x1f file:///tmp \x01", "/tmp"},     {"fi\tle:///tm\np/\ra", "/tmp/a"},
                               {"file:///tmp/n\nl", "/tmp/nl"},       {"file:///tmp/n%0Al", "/tmp/n\nl"},
                               {"file:///tmp/a b/ c", "/tmp/a b/ c"}, {"file:///tmp/%20", "/tmp/ "}};
  expect_paths(rows);
}

TEST(PathUri, ResolvesDotsInTheText) {
  constexpr Accepted rows[] = {{"file:///../../tmp", "/tmp"},
                               {"file:///tmp/%2e%2e/etc", "/etc"},
                               {"file:///tmp/%2E./tmp/a/.%2e", "/tmp"},
                               {"file:///tmp/./x/.", "/tmp/x"},
                               {"file:///tmp/x/..", "/tmp"},
                               {"file:///tmp/x/%2e%2f", "/tmp/x"},
                               {"file:../tmp", "/tmp"},
                               {"file:tmp/../etc", "/etc"},
                               {"file:///tmp/dir/..%2fx", "/tmp/x"},
                               {"file:///tmp%2fa%2f..%2f..%2fetc", "/etc"},
                               {"file:///tmp%2fa%2f%2e%2e", "/tmp"},
                               {"file:///a//../x", "/a/x"},
                               {"file:///tmp/a/%2f../x", "/tmp/x"},
                               {"file:///a/x//..", "/a/x"},
                               {"file:///a/x/..//", "/a"},
                               {"file:///tmp/%2e%2e%2ftmp/%2e", "/tmp"},
                               {"file:///tmp/...", "/tmp/..."},
                               {"file:///tmp/..a/.b", "/tmp/..a/.b"},
                               {"file:///tmp/%252e%252e", "/tmp/%2e%2e"},
                               {"file:///a/%00/../b", "/a/b"},
                               {"file:///a%00/../b", "/b"}};
  expect_paths(rows);
}

TEST(PathUri, DecodesToAnyByte) {
  constexpr Accepted rows[] = {{"file:///tmp/%FF%fe", "/tmp/\xFF\xFE"},
                               {"file:///tmp/é", "/tmp/é"},
                               {"file:///tmp/%c3%A9", "/tmp/é"},
                               {"file:///tmp/b%5Cs", "/tmp/b\\s"},
                               {"file:///tmp/..%5c..", "/tmp/..\\.."},
                               {"file:///tmp/%zz", "/tmp/%zz"},
                               {"file:///tmp/%", "/tmp/%"},
                               {"file:///tmp/%a", "/tmp/%a"},
                               {"file:///tmp/%%41", "/tmp/%A"},
                               {"file:///tmp%2f", "/tmp"},
                               {"file:///tmp/%3f%23", "/tmp/?#"},
                               {"file:///tmp/<\"{}>", "/tmp/<\"{}>"},
                               {"file:///tmp/\x7f", "/tmp/\x7f"}};
  expect_paths(rows);
}

TEST(PathUri, NamesLikeDrivesThatAreOrdinary) {
  constexpr Accepted rows[] = {
      {"file:///1:/x", "/1:/x"},       {"file:///c|/x", "/c|/x"},     {"file:///C|/../x", "/x"},
      {"file:///é:/x", "/é:/x"},       {"file:///C::/x", "/C::/x"},   {"file:///C:x", "/C:x"},
      {"file:c:tmp", "/c:tmp"},        {"file:///a/C:/x", "/a/C:/x"}, {"file:///%43:/x", "/C:/x"},
      {"file:///%43%3a/x", "/C:/x"},   {"file:///C:%2fx", "/C:/x"},   {"file:///a/..%2fC:/x", "/C:/x"},
      {"file:///%2fC:/x", "/C:/x"},    {"file:///C%7C/x", "/C|/x"},   {"file:///C%3A/../tmp", "/tmp"},
      {"file:///C%253A/x", "/C%3A/x"}, {"file:////C|/x", "/C|/x"},    {"file://localhost/C|/x", "/C|/x"}};
  expect_paths(rows);
}

constexpr auto not_a_uri = ErrorKind::invalid_params;
constexpr auto foreign = ErrorKind::invalid_input;

struct Refused {
  std::string_view uri;
  ErrorKind kind;
  std::string_view message;
};

void expect_refusals(std::span<const Refused> rows) {
  for (const Refused& row : rows) {
    const auto path = path_from_uri(row.uri);
    ASSERT_FALSE(path) << row.uri << " became " << *path;
    EXPECT_EQ(path.error().message, row.message) << row.uri;
    EXPECT_EQ(static_cast<int>(path.error().kind), static_cast<int>(row.kind)) << row.uri;
    // What is no URI of a path is refused while params are decoded, what is foreign not before the method.
    const auto checked = check_path_uri(row.uri);
    EXPECT_EQ(checked.has_value(), row.kind != not_a_uri) << row.uri;
    if (!checked) EXPECT_EQ(checked.error().message, row.message) << row.uri;
  }
}

TEST(PathUri, RefusesTextsWithoutAScheme) {
  for (const std::string_view uri :
       {"", "/etc/x", "a.txt", "\\\\server\\share", ":", "1file:///x", "file", "file/", "-:x", "é:x", "./file:///x"}) {
    const Refused row{uri, not_a_uri, "invalid URI: relative URL without a base"};
    expect_refusals({&row, 1});
  }
}

TEST(PathUri, RefusesOtherSchemes) {
  constexpr Refused rows[] = {{"http://x/y?q", not_a_uri, "unsupported path URI scheme `http`"},
                              {"C:\\x", not_a_uri, "unsupported path URI scheme `c`"},
                              {"c:/x", not_a_uri, "unsupported path URI scheme `c`"},
                              {"a+b.c-1:x", not_a_uri, "unsupported path URI scheme `a+b.c-1`"},
                              {"HT\nTP://X", not_a_uri, "unsupported path URI scheme `http`"},
                              {"files:///x", not_a_uri, "unsupported path URI scheme `files`"}};
  expect_refusals(rows);
}

TEST(PathUri, RefusesQueriesAndFragmentsBeforeThePath) {
  constexpr std::string_view query = "query parameters are not allowed in path URIs";
  constexpr std::string_view fragment = "fragments are not allowed in path URIs";
  constexpr Refused rows[] = {{"file:///a?", not_a_uri, query},
                              {"file:///a?q#f", not_a_uri, query},
                              {"file:?", not_a_uri, query},
                              {"file://?", not_a_uri, query},
                              {"file://server?", not_a_uri, query},
                              {"file:///C:/x?q", not_a_uri, query},
                              {"file:///%00?q", not_a_uri, query},
                              {"file:///a#", not_a_uri, fragment},
                              {"file:///a#?", not_a_uri, fragment},
                              {"file://server#x", not_a_uri, fragment},
                              {"file:///%00/bad/path/L0M6?", not_a_uri, query}};
  expect_refusals(rows);
}

TEST(PathUri, RefusesHostsThatCanBeNone) {
  constexpr std::string_view name = "invalid URI: invalid international domain name";
  constexpr std::string_view address = "invalid URI: invalid IPv6 address";
  constexpr Refused rows[] = {{"file://u@localhost/tmp", not_a_uri, name},
                              {"file://u:p@localhost/tmp", not_a_uri, name},
                              {"file://localhost:80/tmp", not_a_uri, name},
                              {"file://localhost:/tmp", not_a_uri, name},
                              {"file://a b/tmp?q", not_a_uri, name},
                              {"file://a%20b/tmp", not_a_uri, name},
                              {"file://a%00b/x", not_a_uri, name},
                              {"file://a%zzb/x", not_a_uri, name},
                              {"file://a<b/x", not_a_uri, name},
                              {"file://a|b/x", not_a_uri, name},
                              {"file://C:x/y", not_a_uri, name},
                              {"file://%ff/y", not_a_uri, name},
                              {"file://[::1/x", not_a_uri, address},
                              {"file://[x]/x", not_a_uri, address},
                              {"file://[/x", not_a_uri, address},
                              {"file://[::1\0]/x"sv, not_a_uri, address}};
  expect_refusals(rows);
}

TEST(PathUri, RefusesOtherHostsInTheirNormalForm) {
  constexpr Refused rows[] = {
      {"file://server/share/a", foreign, "'file://server/share/a' is invalid on 'linux'"},
      {"file://SERVER/Share/../a%20b/ é", foreign, "'file://server/a%20b/%20%C3%A9' is invalid on 'linux'"},
      {"file://server", foreign, "'file://server/' is invalid on 'linux'"},
      {"file://server/..", foreign, "'file://server/' is invalid on 'linux'"},
      {"file://server//a//b///", foreign, "'file://server/a//b///' is invalid on 'linux'"},
      {"file:\\\\server\\tmp", foreign, "'file://server/tmp' is invalid on 'linux'"},
      {"file://127.0.0.1/x", foreign, "'file://127.0.0.1/x' is invalid on 'linux'"},
      {"file://[::1]/x", foreign, "'file://[::1]/x' is invalid on 'linux'"},
      {"file://./tmp", foreign, "'file://./tmp' is invalid on 'linux'"},
      {"file://localhost./tmp", foreign, "'file://localhost./tmp' is invalid on 'linux'"}};
  expect_refusals(rows);
}

TEST(PathUri, RefusesDrives) {
  constexpr Refused rows[] = {
      {"file:///C:", foreign, "'file:///C:' is invalid on 'linux'"},
      {"file:///c:/", foreign, "'file:///c:/' is invalid on 'linux'"},
      {"file:///C%3A/x", foreign, "'file:///C%3A/x' is invalid on 'linux'"},
      {"file:///C%3a", foreign, "'file:///C%3a' is invalid on 'linux'"},
      {"file:////C:/x", foreign, "'file:///C:/x' is invalid on 'linux'"},
      {"file:///a/..//C:/x", foreign, "'file:///C:/x' is invalid on 'linux'"},
      {"file:///%2e/C:", foreign, "'file:///C:' is invalid on 'linux'"},
      {"file:///C:/../x", foreign, "'file:///C:/x' is invalid on 'linux'"},
      {"file:///C:/D:/../..", foreign, "'file:///C:/' is invalid on 'linux'"},
      {"file:///C:\\x", foreign, "'file:///C:/x' is invalid on 'linux'"},
      {"file://C:/x", foreign, "'file:///C:/x' is invalid on 'linux'"},
      {"file://C|", foreign, "'file:///C|' is invalid on 'linux'"},
      {"file:C|/../x", foreign, "'file:///C|/x' is invalid on 'linux'"},
      {"file:/C|/x", foreign, "'file:///C|/x' is invalid on 'linux'"},
      {"file://localhost/C:/x", foreign, "'file:///C:/x' is invalid on 'linux'"},
      {"file:///C:/é ^|\"<>`{}[]~!$&'()*+,;=@%%41%zz\\q\x7f", foreign,
       "'file:///C:/%C3%A9%20^|%22%3C%3E%60%7B%7D[]~!$&'()*+,;=@%%41%zz/q%7F' is invalid on 'linux'"}};
  expect_refusals(rows);
}

TEST(PathUri, RefusesNulBeforeHostAndDrive) {
  constexpr Refused rows[] = {{"file:///%00", not_a_uri, "'file:///%00' is invalid on 'linux'"},
                              {"file:///a%00b", not_a_uri, "'file:///a%00b' is invalid on 'linux'"},
                              {"file:///a\0b"sv, not_a_uri, "'file:///a%00b' is invalid on 'linux'"},
                              {"file://server/%00", not_a_uri, "'file://server/%00' is invalid on 'linux'"},
                              {"file:///C:/%00", not_a_uri, "'file:///C:/%00' is invalid on 'linux'"},
                              {"file:///a/%00%2f../b", not_a_uri, "'file:///a/%00%2f../b' is invalid on 'linux'"}};
  expect_refusals(rows);
}

TEST(PathUri, OpaqueFormIsForPathsWithoutAnother) {
  constexpr Accepted good[] = {{"file:///%00/bad/path/L0M6", "/C:"},
                               {"file:///%00/bad/path/L0M6L3ggeQ", "/C:/x y"},
                               {"file://localhost//%00/bad/path/L0M6", "/C:"}};
  expect_paths(good);
  constexpr std::string_view nul = "file name contained an unexpected NUL byte";
  constexpr Refused rows[] = {
      {"file:///%00/bad/path/L3RtAHA", foreign, nul},
      {"file:///a/../%00/bad/path/L3RtAHA", foreign, nul},
      {"file:///%00/bad/path/L3RtcA", foreign, "'file:///%00/bad/path/L3RtcA' is invalid on 'linux'"},
      {"file:///%00/bad/path/dG1w", foreign, "'file:///%00/bad/path/dG1w' is invalid on 'linux'"},
      {"file:///%00/bad/path/AAAA", foreign, "'file:///%00/bad/path/AAAA' is invalid on 'linux'"},
      {"file:///%00/bad/path/L0M6Lw", foreign, "'file:///%00/bad/path/L0M6Lw' is invalid on 'linux'"},
      {"file:///%00/bad/path/L0M6L3ggeS8uLg", foreign, "'file:///%00/bad/path/L0M6L3ggeS8uLg' is invalid on 'linux'"},
      {"file:///%00/bad/path", not_a_uri, "'file:///%00/bad/path' is invalid on 'linux'"},
      {"file:///%00/bad/path/", not_a_uri, "'file:///%00/bad/path/' is invalid on 'linux'"},
      {"file:///%00/bad/path/L3RtcA==", not_a_uri, "'file:///%00/bad/path/L3RtcA==' is invalid on 'linux'"},
      {"file:///%00/bad/path/L3RtAHB", not_a_uri, "'file:///%00/bad/path/L3RtAHB' is invalid on 'linux'"},
      {"file:///%00/bad/path/L0M6/x", not_a_uri, "'file:///%00/bad/path/L0M6/x' is invalid on 'linux'"},
      {"file://server/%00/bad/path/L0M6", not_a_uri, "'file://server/%00/bad/path/L0M6' is invalid on 'linux'"}};
  expect_refusals(rows);
}

TEST(PathUri, RefusesOneByteTooMany) {
  const std::string longest = "file:///" + std::string(limits::path_uri_bytes_max - 8, 'a');
  EXPECT_EQ(path_from_uri(longest), longest.substr(7));
  const auto refused = path_from_uri(longest + "a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::io);
  EXPECT_TRUE(refused.error().message.ends_with("(os error 36)")) << refused.error().message;
}

TEST(PathUri, MakesTheOneSpelling) {
  EXPECT_EQ(uri_from_path("/"), "file:///");
  EXPECT_EQ(uri_from_path("/tmp/a"), "file:///tmp/a");
  EXPECT_EQ(uri_from_path("//tmp//./a/b/../"), "file:///tmp/a");
  EXPECT_EQ(uri_from_path("/az09AZ-._~!$&'()*+,;=:@[]^|"), "file:///az09AZ-._~!$&'()*+,;=:@[]^|");
  EXPECT_EQ(uri_from_path("/ \"#%<>?`{}\\"), "file:///%20%22%23%25%3C%3E%3F%60%7B%7D%5C");
  EXPECT_EQ(uri_from_path("/\x01\n\x7f\xC3\xA9\xFF"), "file:///%01%0A%7F%C3%A9%FF");
  EXPECT_EQ(uri_from_path("/c|"), "file:///c|");
  EXPECT_EQ(uri_from_path("/C:"), "file:///%00/bad/path/L0M6");
  EXPECT_EQ(uri_from_path("/C:/x y"), "file:///%00/bad/path/L0M6L3ggeQ");
}

TEST(PathUri, EveryByteOfANameComesBack) {
  for (int value = 1; value < 256; ++value) {
    const std::string path = std::string("/tmp/x") + static_cast<char>(value) + "y";
    EXPECT_EQ(path_from_uri(uri_from_path(path)), path) << value;
    for (const char c : uri_from_path(path)) ASSERT_TRUE(c > ' ' && c < 0x7f) << value;
  }
}

TEST(PathUri, EveryPrefixOfAUriIsJudgedWithoutHarm) {
  constexpr std::string_view uri = "FILE://localhost/a%2f..%2Fb/%2e%2E/C:/%FF%zz/[é]//x";
  for (std::size_t size = 0; size <= uri.size(); ++size) {
    const auto path = path_from_uri(uri.substr(0, size));
    EXPECT_EQ(check_path_uri(uri.substr(0, size)).has_value(), path || path.error().kind != not_a_uri) << size;
    if (path) EXPECT_EQ(path_from_uri(uri_from_path(*path)), *path) << size;
  }
}

}  // namespace
}  // namespace outpost::wire
