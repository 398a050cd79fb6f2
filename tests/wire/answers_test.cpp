#include "wire/answers.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "wire/envelope.h"
#include "wire/error_codes.h"
#include "wire/protocol/process.h"

namespace outpost::wire {
namespace {

std::string error_text(const RequestId& id, const Error& error) {
  std::vector<char> memory(error_answer_size(id, error));
  EXPECT_EQ(write_error_answer(memory.data(), id, error), memory.data() + memory.size());
  std::string appended = "<";
  append_error_answer(appended, id, error);
  const std::string text(memory.begin(), memory.end());
  EXPECT_EQ(appended, "<" + text);
  return text;
}

TEST(Answers, WritesAResult) {
  std::vector<char> memory(answer_size(RequestId("a\""), "{}"));
  EXPECT_EQ(write_answer(memory.data(), RequestId("a\""), "{}"), memory.data() + memory.size());
  EXPECT_EQ(std::string(memory.begin(), memory.end()), R"({"id":"a\"","result":{}})");
  std::string out = "<";
  append_answer(out, RequestId(7), TerminateResult{true});
  EXPECT_EQ(out, R"(<{"id":7,"result":{"running":true}})");
}

TEST(Answers, WritesAnErrorWithAndWithoutData) {
  EXPECT_EQ(error_text(RequestId(malformed_message_id), {ErrorKind::malformed_message, "no \"x\"\n"}),
            R"({"error":{"code":-32600,"message":"no \"x\"\n"},"id":-1})");
  EXPECT_EQ(error_text(RequestId(1), {ErrorKind::spawn_not_found, "No such file or directory (os error 2)"}),
            R"({"error":{"code":-32603,"data":{"kind":"spawnNotFound"},)"
            R"~("message":"No such file or directory (os error 2)"},"id":1})~");
  Error error(ErrorKind::io, "m");
  error.data_kind = "limits\"Unavailable";
  EXPECT_EQ(error_text(RequestId("x"), error),
            R"({"error":{"code":-32603,"data":{"kind":"limits\"Unavailable"},"message":"m"},"id":"x"})");
}

TEST(Answers, WritesRequestsAndNotificationsThatParse) {
  std::string out;
  append_request(out, RequestId("r"), "process/terminate", TerminateParams{"p\n", {}}, {"00-aa", "k=v"});
  EXPECT_EQ(out, R"({"id":"r","method":"process/terminate","params":{"processId":"p\n"},)"
                 R"("trace":{"traceparent":"00-aa","tracestate":"k=v"}})");
  MessageParser parser;
  auto message = parser.parse(out);
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->traceparent, "00-aa");
  out.clear();
  append_request(out, RequestId(5), "x", NoParams{});
  EXPECT_EQ(out, R"({"id":5,"method":"x","params":{}})");
  out.clear();
  append_notification(out, "initialized", EmptyObject{});
  EXPECT_EQ(out, R"({"method":"initialized","params":{}})");
}

TEST(ErrorCodes, FollowTheTablesOfTheSpecification) {
  const std::pair<ErrorKind, int> rows[] = {
      {ErrorKind::malformed_message, -32600}, {ErrorKind::unknown_method, -32601},
      {ErrorKind::invalid_params, -32602},    {ErrorKind::wrong_state, -32600},
      {ErrorKind::unknown_process, -32600},   {ErrorKind::process_exists, -32600},
      {ErrorKind::process_starting, -32600},  {ErrorKind::unknown_session, -32600},
      {ErrorKind::session_attached, -32010},  {ErrorKind::limit_reached, -32600},
      {ErrorKind::spawn_not_found, -32603},   {ErrorKind::spawn_permission, -32603},
      {ErrorKind::spawn_failed, -32603},      {ErrorKind::sandbox_unavailable, -32603},
      {ErrorKind::stdin_failed, -32603},      {ErrorKind::not_found, -32004},
      {ErrorKind::invalid_input, -32600},     {ErrorKind::io, -32603},
      {ErrorKind::unavailable, -32603},       {ErrorKind::cancelled, -32800},
      {ErrorKind::timeout, -32603},           {ErrorKind::connection_lost, -32603},
      {ErrorKind::internal, -32603},
  };
  for (const auto& [kind, code] : rows) EXPECT_EQ(error_code({kind, ""}), code) << static_cast<int>(kind);
  Error remote(ErrorKind::remote, "");
  remote.remote_code = -5;
  EXPECT_EQ(error_code(remote), -5);
}

TEST(ErrorCodes, NameTheCauseOfAFailedSpawn) {
  EXPECT_EQ(error_data_kind({ErrorKind::spawn_not_found, ""}), "spawnNotFound");
  EXPECT_EQ(error_data_kind({ErrorKind::spawn_permission, ""}), "spawnPermissionDenied");
  EXPECT_EQ(error_data_kind({ErrorKind::spawn_failed, ""}), "spawnFailed");
  EXPECT_EQ(error_data_kind({ErrorKind::sandbox_unavailable, ""}), "sandboxUnavailable");
  EXPECT_EQ(error_data_kind({ErrorKind::io, ""}), "");
}

Error from_wire(const std::string& error) {
  MessageParser parser;
  const std::string text = R"({"id":1,"error":)" + error + "}";
  auto message = parser.parse(text);
  EXPECT_TRUE(message) << text;
  return error_from_wire(message->error_code, message->error_message, message->error_data);
}

TEST(ErrorCodes, ComeBackAsTheKindsTheyWere) {
  const std::pair<ErrorKind, const char*> rows[] = {
      {ErrorKind::unknown_method, "exec-server stub does not implement `x` yet"},
      {ErrorKind::invalid_params, "missing field `x`"},
      {ErrorKind::wrong_state, "client must call initialize before using exec methods"},
      {ErrorKind::unknown_process, "unknown process id p"},
      {ErrorKind::process_exists, "process p already exists"},
      {ErrorKind::process_starting, "process id p is starting"},
      {ErrorKind::unknown_session, "unknown session id s"},
      {ErrorKind::session_attached, "session s is already attached to another connection"},
      {ErrorKind::spawn_not_found, "No such file or directory (os error 2)"},
      {ErrorKind::spawn_permission, "Permission denied (os error 13)"},
      {ErrorKind::spawn_failed, "Exec format error (os error 8)"},
      {ErrorKind::sandbox_unavailable, "x"},
      {ErrorKind::stdin_failed, "failed to write to process stdin"},
      {ErrorKind::not_found, "No such file or directory (os error 2)"},
      {ErrorKind::io, "Is a directory (os error 21)"},
      {ErrorKind::cancelled, "request cancelled"},
  };
  for (const auto& [kind, text] : rows) {
    const Error sent(kind, text);
    std::string answer;
    append_error_answer(answer, RequestId(1), sent);
    MessageParser parser;
    auto message = parser.parse(answer);
    ASSERT_TRUE(message) << answer;
    const Error back = error_from_wire(message->error_code, message->error_message, message->error_data);
    EXPECT_EQ(back.kind, kind) << text;
    EXPECT_EQ(back.message, text);
    EXPECT_EQ(error_code(back), error_code(sent));
    EXPECT_EQ(error_data_kind(back), error_data_kind(sent));
  }
}

TEST(ErrorCodes, KeepACodeThatSaysNothing) {
  for (const char* error : {R"({"code":-32600,"message":"something else"})", R"({"code":-32603,"message":"x"})",
                            R"({"code":-1,"message":"x","data":5})"}) {
    EXPECT_EQ(from_wire(error).kind, ErrorKind::remote) << error;
  }
  EXPECT_EQ(from_wire(R"({"code":-1,"message":"x"})").remote_code, -1);
  EXPECT_EQ(from_wire(R"({"code":9223372036854775807,"message":"x"})").remote_code, -32603);
  EXPECT_EQ(from_wire(R"({"code":-32603,"message":"x","data":{"kind":"refused"}})").data_kind, "refused");
}

}  // namespace
}  // namespace outpost::wire
