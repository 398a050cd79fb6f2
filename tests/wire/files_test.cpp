#include "wire/protocol/files.h"

#include <gtest/gtest.h>

#include "wire/codec.h"
#include "wire/file_answers.h"
#include "wire/json_parser.h"
#include "wire/protocol/cancel.h"

namespace outpost::wire {
namespace {

template <class T>
Result<T> decoded(std::string_view text) {
  JsonDocument document;
  EXPECT_TRUE(parse_json(text, document)) << text;
  return decode<T>(document.root());
}
template <class T>
std::string problem_of(std::string_view text) {
  auto value = decoded<T>(text);
  return value ? "" : value.error().message;
}

TEST(FileParams, OptionalBooleansTakeNullRequiredOnesDoNot) {
  EXPECT_EQ(problem_of<RemoveParams>(R"({"path":"file:///a","recursive":null,"force":null,"followSymlinks":null})"),
            "");
  EXPECT_EQ(problem_of<CreateDirectoryParams>(R"({"path":"file:///a","recursive":null})"), "");
  EXPECT_EQ(problem_of<CopyParams>(R"({"sourcePath":"file:///a","destinationPath":"file:///b","recursive":null})"),
            "invalid type: null, expected a boolean");
  EXPECT_EQ(problem_of<CopyParams>(R"({"sourcePath":"file:///a","destinationPath":"file:///b"})"),
            "missing field `recursive`");
  EXPECT_EQ(problem_of<OpenParams>(R"({"handleId":"h","path":"file:///a","mode":null})").substr(0, 18),
            "invalid type: null");
}

TEST(FileParams, UnsignedFieldsRefuseOtherNumbers) {
  for (const char* offset : {"-1", "1.5"}) {
    EXPECT_EQ(problem_of<ReadBlockParams>(R"({"handleId":"h","len":1,"offset":)" + std::string(offset) + "}"),
              "invalid number");
  }
}

TEST(FileParams, BadBase64IsToldByDecodingInBlocksAndByTheMethodInWholeFiles) {
  EXPECT_EQ(problem_of<WriteBlockParams>(R"({"handleId":"h","offset":0,"chunk":"!"})").substr(0, 8), "Invalid ");
  const auto params = decoded<WriteFileParams>(R"({"path":"file:///a","dataBase64":"!AAA"})");
  ASSERT_TRUE(params);
  EXPECT_EQ(params->data_base64.fault, "Invalid symbol 33, offset 0.");
}

TEST(FileParams, MembersOfOutpostHaveTheirRangesAndNames) {
  const auto open = [](const std::string& outpost) {
    return problem_of<OpenParams>(R"({"handleId":"h","path":"file:///a","mode":"replace","outpost":)" + outpost + "}");
  };
  EXPECT_EQ(open(R"({"atomic":true,"exclusive":false,"mode":420,"fsync":true})"), "");
  EXPECT_EQ(open(R"({"mode":4096})"), "outpost.mode must be between 0 and 4095");
  EXPECT_EQ(open(R"({"mode":-1})"), "outpost.mode must be between 0 and 4095");
  EXPECT_EQ(open(R"({"discard":true})"),
            "unknown field `outpost.discard`, expected one of `atomic`, `exclusive`, `mode`, `fsync`");
  EXPECT_EQ(problem_of<CloseParams>(R"({"handleId":"h","outpost":{"x":1}})"),
            "unknown field `outpost.x`, expected `discard`");
  EXPECT_EQ(problem_of<ReadFileParams>(R"({"path":"file:///a","outpost":{"x":1}})"),
            "unknown field `outpost.x`, there are no expected fields");
}

TEST(FileParams, OurOwnMethodsRefuseUnknownMembers) {
  EXPECT_EQ(problem_of<RenameParams>(R"({"sourcePath":"file:///a","destinationPath":"file:///b","x":1})"),
            "unknown field `x`, expected one of `sourcePath`, `destinationPath`, `replace`, `sandbox`");
  EXPECT_EQ(problem_of<DigestParams>(R"({"path":"file:///a","offset":-1})"),
            "offset must be between 0 and 9223372036854775807");
  EXPECT_EQ(problem_of<SetMetadataParams>(R"({"path":"file:///a","mode":4096})"), "mode must be between 0 and 4095");
  EXPECT_EQ(problem_of<SetMetadataParams>(R"({"path":"file:///a","modifiedAtMs":-5})"), "");
  EXPECT_EQ(problem_of<ReadDirectoryFullParams>("{}"), "missing field `path`");
}

TEST(SandboxContext, LimitsUnlessItSaysDisabled) {
  const auto of = [](const std::string& sandbox) {
    return decoded<ReadFileParams>(R"({"path":"file:///a","sandbox":)" + sandbox + "}");
  };
  EXPECT_FALSE(of("null")->sandbox.given);
  const auto free = of(R"({"windowsSandboxLevel":"disabled","permissions":{"type":"disabled"}})");
  EXPECT_TRUE(free->sandbox.given);
  EXPECT_FALSE(free->sandbox.limits);
  EXPECT_TRUE(of(R"({"windowsSandboxLevel":"disabled","permissions":{"type":"managed"}})")->sandbox.limits);
  EXPECT_EQ(of("{}").error().message, "missing field `permissions`");
  EXPECT_EQ(of(R"({"permissions":{"type":"disabled"}})").error().message, "missing field `windowsSandboxLevel`");
  EXPECT_TRUE(of("1").error().message.starts_with("invalid type: number"));
}

TEST(CancelParams, TakeEveryKindOfId) {
  EXPECT_EQ(*decoded<CancelParams>(R"({"id":"x"})")->id, RequestId(std::string("x")));
  EXPECT_EQ(*decoded<CancelParams>(R"({"id":-7})")->id, RequestId(std::int64_t{-7}));
  EXPECT_EQ(problem_of<CancelParams>(R"({"id":true})"),
            "invalid type: boolean `true`, expected a string or an integer");
}

TEST(FileAnswers, HaveTheirSize) {
  const RequestId id(std::string("a\"b"));
  for (const std::size_t bytes : {0u, 1u, 2u, 3u, 1000u}) {
    const Bytes contents = Bytes::copy_of(as_bytes(std::string(bytes, 'x')));
    for (const bool eof : {false, true}) {
      std::string text(block_answer_size(id, bytes, eof), '?');
      EXPECT_EQ(write_block_answer(text.data(), id, contents.view(), eof), text.data() + text.size());
      EXPECT_TRUE(text.ends_with(eof ? R"(","eof":true}})" : R"(","eof":false}})"));
    }
    std::string text(file_answer_size(id, bytes), '?');
    EXPECT_EQ(write_file_answer(text.data(), id, contents.view()), text.data() + text.size());
  }
}

}  // namespace
}  // namespace outpost::wire
