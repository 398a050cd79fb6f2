#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "wire/codec.h"
#include "wire/json_parser.h"
#include "wire/protocol/environment.h"
#include "wire/protocol/files.h"
#include "wire/protocol/http.h"
#include "wire/protocol/process.h"
#include "wire/protocol/session.h"

namespace outpost::wire {
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
  return value ? "" : value.error().message;
}

template <class T>
std::string written(const T& value) {
  std::string out;
  encode(out, value);
  return out;
}

template <class T>
void expect_unchanged(std::string_view text) {
  auto value = decoded<T>(text);
  ASSERT_TRUE(value) << text << ": " << value.error().message;
  EXPECT_EQ(written(*value), text);
}

TEST(StartParams, NamesEachMissingField) {
  std::string params = "{";
  for (const auto& [name, member] :
       {std::pair("processId", R"("processId":"p")"), std::pair("argv", R"("argv":["x"])"),
        std::pair("cwd", R"("cwd":"file:///")"), std::pair("env", R"("env":{})"), std::pair("tty", R"("tty":false)")}) {
    EXPECT_EQ(problem_of<StartParams>(params + "}"), "missing field `" + std::string(name) + "`");
    if (params.size() > 1) params += ',';
    params += member;
  }
  EXPECT_EQ(problem_of<StartParams>(params + "}"), "");
}

TEST(StartParams, RefusesWhatIsNoPathUriInItsTurn) {
  constexpr std::string_view relative = "invalid URI: relative URL without a base";
  constexpr std::string_view number = "invalid type: number, expected a string";
  EXPECT_EQ(problem_of<StartParams>(R"({"cwd":"/x"})"), relative);
  EXPECT_EQ(problem_of<StartParams>(R"({"cwd":"/x","processId":5})"), relative);
  EXPECT_EQ(problem_of<StartParams>(R"({"processId":5,"cwd":"/x"})"), number);
  EXPECT_EQ(problem_of<StartParams>(R"({"cwd":5})"), number);
  EXPECT_EQ(problem_of<StartParams>(R"({"cwd":"http://x/y"})"), "unsupported path URI scheme `http`");
  // A foreign path decodes: the host refuses it in its own words.
  EXPECT_EQ(problem_of<StartParams>(R"({"cwd":"file://server/x"})"), "missing field `processId`");
}

TEST(GetMetadataParams, RefusesWhatIsNoPathUri) {
  EXPECT_EQ(problem_of<GetMetadataParams>(R"({"path":"/x"})"), "invalid URI: relative URL without a base");
  EXPECT_EQ(problem_of<GetMetadataParams>(R"({"path":"file:///x?"})"), "query parameters are not allowed in path URIs");
  EXPECT_EQ(problem_of<GetMetadataParams>(R"({"path":"file:///x%00"})"), "'file:///x%00' is invalid on 'linux'");
  EXPECT_EQ(problem_of<GetMetadataParams>(R"({"path":"file:///C:/x"})"), "");
}

TEST(StartParams, TakesOptionalMembersAbsentOrNull) {
  const std::string base = R"({"processId":"p","argv":["x"],"cwd":"file:///","env":{"A":"b"},"tty":true)";
  auto null = decoded<StartParams>(base + R"(,"arg0":null,"envPolicy":null,"sandbox":null,"managedNetwork":null,)"
                                          R"("networkProxy":null,"shellSnapshot":null,"enforceManagedNetwork":false,)"
                                          R"("pipeStdin":false,"metadata":null,"bogus":{"deep":[1]}})");
  ASSERT_TRUE(null) << null.error().message;
  EXPECT_FALSE(null->sandbox.given);
  EXPECT_FALSE(null->env_policy);
  auto full =
      decoded<StartParams>(base + R"(,"arg0":"a","envPolicy":{"inherit":"none","ignoreDefaultExcludes":true,)"
                                  R"("exclude":["E*"],"set":{"X":"y"},"includeOnly":[]},)"
                                  R"("sandbox":{"permissions":{"type":"managed"},"windowsSandboxLevel":"disabled"},)"
                                  R"("managedNetwork":{},"networkProxy":{},"shellSnapshot":{},)"
                                  R"("enforceManagedNetwork":true,"pipeStdin":true,)"
                                  R"("metadata":{"threadId":"t","toolCallId":null}})");
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->env_policy->inherit, EnvInherit::none);
  EXPECT_EQ(full->env_policy->set.at("X"), "y");
  EXPECT_TRUE(full->sandbox.given && full->sandbox.limits && full->managed_network && full->network_proxy &&
              full->shell_snapshot);
  EXPECT_TRUE(full->pipe_stdin);
  EXPECT_EQ(full->metadata->thread_id, "t");
  EXPECT_EQ(problem_of<StartParams>(base + R"(,"pipeStdin":null})"), "invalid type: null, expected a boolean");
  EXPECT_EQ(problem_of<StartParams>(base + R"(,"arg0":5})"), "invalid type: number, expected a string");
}

TEST(StartParams, NamesEachMissingFieldOfThePolicy) {
  std::string policy = R"({"envPolicy":{)";
  bool first = true;
  for (const auto& [name, member] :
       {std::pair("inherit", R"("inherit":"all")"),
        std::pair("ignoreDefaultExcludes", R"("ignoreDefaultExcludes":true)"), std::pair("exclude", R"("exclude":[])"),
        std::pair("set", R"("set":{})"), std::pair("includeOnly", R"("includeOnly":[])")}) {
    EXPECT_EQ(problem_of<StartParams>(policy + "}}"), "missing field `" + std::string(name) + "`");
    policy += (std::exchange(first, false) ? "" : ",") + std::string(member);
  }
  EXPECT_EQ(problem_of<StartParams>(policy + "}}"), "missing field `processId`");
  EXPECT_EQ(problem_of<StartParams>(R"({"envPolicy":{"inherit":"x"}})"),
            "unknown variant `x`, expected one of `core`, `all`, `none`");
}

TEST(ProcessParams, RefuseWhatTheReferenceRefuses) {
  EXPECT_EQ(problem_of<ReadParams>("null"), "invalid type: null, expected struct ReadParams");
  EXPECT_EQ(problem_of<ReadParams>(R"({"processId":"p","afterSeq":-1})"), "invalid number");
  EXPECT_EQ(problem_of<ReadParams>(R"({"processId":"p","afterSeq":1.0,"maxBytes":null,"waitMs":1e15})"), "");
  EXPECT_EQ(problem_of<WriteParams>(R"({"processId":"p","chunk":"YQ=="})"), "missing field `writeId`");
  EXPECT_EQ(problem_of<WriteParams>(R"({"processId":"p","chunk":"####","writeId":"w"})"),
            "Invalid symbol 35, offset 0.");
  EXPECT_EQ(problem_of<WriteParams>(R"({"processId":"p","chunk":"","writeId":""})"), "");
  EXPECT_EQ(problem_of<SignalParams>(R"({"processId":"p","signal":"x"})"), "unknown variant `x`, expected `interrupt`");
  EXPECT_EQ(problem_of<TerminateParams>("{}"), "missing field `processId`");
  EXPECT_EQ(problem_of<GetMetadataParams>("{}"), "missing field `path`");
  EXPECT_EQ(problem_of<GetMetadataParams>(R"({"path":"file:///","followSymlinks":5})"),
            "invalid type: number, expected a boolean");
}

TEST(ProcessParams, RefuseEveryExtensionOfThisVersionByName) {
  EXPECT_EQ(problem_of<StartParams>(R"({"processId":"p","argv":["x"],"cwd":"file:","env":{},"tty":false,)"
                                    R"("outpost":{"onDetatch":"hold"}})"),
            "unknown field `outpost.onDetatch`, expected one of `onDetach`, `size`, `timeoutMs`, `graceMs`, `limits`, "
            "`retainBytes`");
  EXPECT_EQ(problem_of<ReadParams>(R"({"processId":"p","outpost":{"head":5,"tial":5}})"),
            "unknown field `outpost.tial`, expected `head` or `tail`");
  EXPECT_EQ(problem_of<TerminateParams>(R"({"processId":"p","outpost":{"grace":5}})"),
            "unknown field `outpost.grace`, expected `graceMs`");
  EXPECT_EQ(problem_of<WriteParams>(R"({"processId":"p","chunk":"","writeId":"w","outpost":{"a":5}})"),
            "unknown field `outpost.a`, there are no expected fields");
  EXPECT_EQ(problem_of<GetMetadataParams>(R"({"path":"file:","outpost":{"a":5}})"),
            "unknown field `outpost.a`, there are no expected fields");
  EXPECT_EQ(problem_of<WriteParams>(R"({"processId":"p","chunk":"","writeId":"w","outpost":{}})"), "");
}

TEST(InitializeParams, TakesTheRetentionInItsRange) {
  EXPECT_EQ(problem_of<InitializeParams>("{}"), "missing field `clientName`");
  auto plain = decoded<InitializeParams>(R"({"clientName":"x","resumeSessionId":null})");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->resume_session_id);
  EXPECT_FALSE(plain->outpost.given);
  auto resumed = decoded<InitializeParams>(R"({"clientName":"x","resumeSessionId":"s","outpost":{"retentionMs":0}})");
  ASSERT_TRUE(resumed);
  EXPECT_EQ(*resumed->resume_session_id, "s");
  EXPECT_TRUE(resumed->outpost.given);
  EXPECT_EQ(resumed->outpost.members.retention_ms->value, 0);
  const std::string head = R"({"clientName":"x","outpost":{"retentionMs":)";
  EXPECT_EQ(problem_of<InitializeParams>(head + "9007199254740991}}"), "");
  for (const char* value : {"9007199254740992", "-1"}) {
    EXPECT_EQ(problem_of<InitializeParams>(head + value + "}}"),
              "outpost.retentionMs must be between 0 and 9007199254740991");
  }
}

TEST(InitializeParams, RefusesReceiptsUntilTheyAreSupported) {
  const std::string text = R"({"clientName":"x","outpost":{"receipts":true}})";
  EXPECT_EQ(problem_of<InitializeParams>(text),
            receipts_supported ? "" : "unknown field `outpost.receipts`, expected `retentionMs` or `receipts`");
}

TEST(Results, AreWrittenAsTheReferenceWritesThem) {
  EXPECT_EQ(written(InitializeParams{"x", {}, {}}), R"({"clientName":"x","resumeSessionId":null})");
  StartResult started{.process_id = "p", .sandbox_type = SandboxType::linux_seccomp, .outpost = std::nullopt};
  EXPECT_EQ(written(started), R"({"processId":"p","sandboxType":"linuxSeccomp"})");
  EXPECT_EQ(written(WriteResult{WriteStatus::unknown_process}), R"({"status":"unknownProcess"})");
  EXPECT_EQ(written(WriteResult{WriteStatus::stdin_closed}), R"({"status":"stdinClosed"})");
  EXPECT_EQ(written(TerminateResult{true}), R"({"running":true})");
  EXPECT_EQ(written(EmptyObject{}), "{}");
  EXPECT_EQ(written(EnvironmentStatus{"ready"}), R"({"status":"ready"})");
  EXPECT_EQ(written(GetMetadataResult{true, false, false, 4096, 0, -5}),
            R"({"isDirectory":true,"isFile":false,"isSymlink":false,"size":4096,"createdAtMs":0,"modifiedAtMs":-5})");
  EXPECT_EQ(written(InitializeResult{"s", {}, InitializeGrant{5, false, "ping"}}),
            R"({"sessionId":"s","outpost":{"retentionMs":5,"resumed":false,"receipts":"ping"}})");
}

TEST(Results, ComeThroughUnchanged) {
  expect_unchanged<ReadResult>(
      R"({"chunks":[{"seq":1,"stream":"stderr","chunk":"ZQo="},{"seq":2,"stream":"pty","chunk":""}],"nextSeq":3,)"
      R"("exited":true,"exitCode":-1,"closed":false,"failure":null,"sandboxDenied":false})");
  expect_unchanged<OutputEvent>(R"({"processId":"q","seq":1,"stream":"stdout","chunk":"ZQo="})");
  expect_unchanged<ExitedEvent>(R"({"processId":"q","seq":3,"exitCode":3,"sandboxDenied":false})");
  expect_unchanged<ClosedEvent>(R"({"processId":"q","seq":4})");
}

// As the reference answers it, and with what Outpost adds.
TEST(EnvironmentInfo, ComesThroughUnchanged) {
  const std::string capabilities =
      R"("capabilities":{"networkProxyLaunch":true,"networkProxyReviewDomains":true,"networkProxyTransparentTcp":true,)"
      R"("credentialMasking":true,"credentialMaskingCustomProviders":true,"capabilityDiscoverySandbox":true,)"
      R"("fsWatchMissing":true,"capabilityDiscoveryV2":true,"environmentConfigRead":true,"httpHeaderEnvVars":true,)"
      R"("sandboxedFileStreaming":true,"fileWriteStreaming":true,"shellSnapshotV2":true,"windowsMxc":false,)"
      R"("linuxRootWritePreservesDevices":true,"linuxApprovedRootWritePreservesRestrictions":true})";
  const std::string machine =
      R"({"shell":{"name":"bash","path":"/bin/bash"},"executorVersion":"0.171.0","providerId":"sha256:d9",)"
      R"("cwd":"file:///tmp","userHomeDir":"file:///root","platformOs":"linux","prependPathDirs":["file:///p"],)"
      R"("temporaryDirectories":[],"tempDir":"file:///tmp",)";
  expect_unchanged<EnvironmentInfo>(machine + capabilities + "}");
  expect_unchanged<EnvironmentInfo>(
      machine + capabilities +
      R"(,"outpost":{"version":1,"features":["cancel","fs.digest"],"containment":"subreaper","sandbox":{"backend":"none",)"
      R"("enforces":[],"reason":null},"limits":{"retentionMs":86400000,"retainBytes":33554432,"messageBytes":67108864,)"
      R"("inFlight":1024}}})");
  expect_unchanged<EnvironmentInfo>(R"({"shell":{"name":"sh","path":"/bin/sh"}})");
}

TEST(EnvironmentInfo, StatesEveryCapability) {
  const std::string text = written(Capabilities{});
  JsonDocument document;
  ASSERT_TRUE(parse_json(text, document));
  EXPECT_EQ(document.root().size(), 16u);
  EXPECT_EQ(text.find("true"), std::string::npos);
  EXPECT_FALSE(decoded<Capabilities>("{}")->fs_watch_missing);
}

TEST(HttpRequestParams, TakesWhatMayBeAbsentAsItsDefault) {
  auto params = decoded<HttpRequestParams>(R"({"method":"GET","url":"u","requestId":"","bodyBase64":null,)"
                                           R"("timeoutMs":null,"bogus":1})");
  ASSERT_TRUE(params) << params.error().message;
  EXPECT_TRUE(params->headers.items.empty());
  EXPECT_FALSE(params->body_base64 || params->timeout_ms || params->stream_response);
  EXPECT_EQ(params->redirect_policy.value, RedirectPolicy::follow);
}

TEST(HttpRequestParams, TakesEverything) {
  expect_unchanged<HttpRequestParams>(
      R"({"method":"GET","url":"u","headers":[{"name":"a","value":"b"},{"name":"c","value":"","valueEnvVar":"D"}],)"
      R"("bodyBase64":"YQ==","timeoutMs":18446744073709551615,"redirectPolicy":"stop","requestId":"r",)"
      R"("streamResponse":true})");
}

TEST(HttpRequestParams, NamesWhatIsWrongFirst) {
  const std::pair<const char*, const char*> rows[] = {
      {"{}", "missing field `method`"},
      {"null", "invalid type: null, expected struct HttpRequestParams"},
      {R"({"method":"GET"})", "missing field `url`"},
      {R"({"method":"GET","url":"u"})", "missing field `requestId`"},
      {R"({"url":5})", "invalid type: number, expected a string"},
      {R"({"headers":null})", "invalid type: null, expected a sequence"},
      {R"({"headers":[5]})", "invalid type: number, expected struct HttpHeader"},
      {R"({"headers":[{"value":"a"}]})", "missing field `name`"},
      {R"({"headers":[{"name":"a"}]})", "missing field `value`"},
      {R"({"bodyBase64":"@"})", "Invalid symbol 64, offset 0."},
      {R"({"bodyBase64":"YQ"})", "Invalid padding"},
      {R"({"timeoutMs":-1})", "invalid number"},
      {R"({"timeoutMs":18446744073709551616})", "invalid number"},
      {R"({"timeoutMs":"5"})", R"(invalid type: string "5", expected u64)"},
      {R"({"redirectPolicy":null})", "invalid type: null, expected string or map"},
      {R"({"redirectPolicy":"x"})", "unknown variant `x`, expected `follow` or `stop`"},
      {R"({"streamResponse":null})", "invalid type: null, expected a boolean"}};
  for (const auto& [text, problem] : rows) EXPECT_EQ(problem_of<HttpRequestParams>(text), problem) << text;
}

}  // namespace
}  // namespace outpost::wire
