#include "wire/envelope.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace outpost::wire {
namespace {

Message parsed(MessageParser& parser, std::string_view text) {
  auto message = parser.parse(text);
  EXPECT_TRUE(message) << text << ": " << (message ? "" : message.error().message);
  return message ? *message : Message{};
}

std::string problem_of(std::string_view text) {
  MessageParser parser;
  auto message = parser.parse(text);
  if (message) return "";
  EXPECT_EQ(message.error().kind, ErrorKind::malformed_message);
  return message.error().message;
}

TEST(Envelope, TakesARequestApart) {
  MessageParser parser;
  const std::string text =
      R"({"jsonrpc":"2.0","method":"m/\u0061","params":{"k":[1]},"id":7,"trace":{"tracestate":"s","traceparent":"t","x":5}})";
  const Message message = parsed(parser, text);
  EXPECT_EQ(message.kind, MessageKind::request);
  EXPECT_EQ(message.id, RequestId(7));
  EXPECT_EQ(message.method, "m/a");
  EXPECT_TRUE(message.params.present());
  EXPECT_EQ(message.params.find("k").size(), 1u);
  EXPECT_EQ(message.traceparent, "t");
  EXPECT_EQ(message.tracestate, "s");
}

TEST(Envelope, TellsAbsentParamsFromNull) {
  MessageParser parser;
  const Message absent = parsed(parser, R"({"id":1,"method":"x"})");
  EXPECT_FALSE(absent.params.present());
  EXPECT_TRUE(absent.params.is_null());
  EXPECT_TRUE(parsed(parser, R"({"id":1,"method":"x","params":null})").params.present());
  EXPECT_EQ(parsed(parser, R"({"id":1,"method":"x","params":5})").params.as_int64(), 5);
}

TEST(Envelope, KnowsTheKindsOfMessages) {
  const std::pair<const char*, MessageKind> rows[] = {
      {R"({"id":1,"method":"x"})", MessageKind::request},
      {R"({"id":1,"method":"x","result":5})", MessageKind::request},
      {R"({"id":1,"method":"x","error":5})", MessageKind::request},
      {R"({"method":"x"})", MessageKind::notification},
      {R"({"method":"x","trace":5,"result":1,"error":2})", MessageKind::notification},
      {R"({"id":1,"result":null})", MessageKind::response},
      {R"({"id":1,"result":1,"error":5})", MessageKind::response},
      {R"({"id":1,"result":5,"trace":5})", MessageKind::response},
      {R"({"id":1,"error":{"code":1,"message":"m"}})", MessageKind::error},
  };
  for (const auto& [text, kind] : rows) {
    MessageParser parser;
    EXPECT_EQ(parsed(parser, text).kind, kind) << text;
  }
}

TEST(Envelope, TakesAnErrorApart) {
  MessageParser parser;
  const Message message =
      parsed(parser, R"({"error":{"code":-32603,"data":{"kind":"spawnFailed"},"message":"m"},"id":"q"})");
  EXPECT_EQ(message.error_code, -32603);
  EXPECT_EQ(message.error_message, "m");
  EXPECT_EQ(message.error_data.find("kind").as_string(), "spawnFailed");
  EXPECT_EQ(message.id, RequestId("q"));
  EXPECT_FALSE(parsed(parser, R"({"error":{"code":1,"message":"m"},"id":1})").error_data.present());
}

TEST(Envelope, TakesIdsOfTextAndOf64Bits) {
  MessageParser parser;
  EXPECT_EQ(parsed(parser, R"({"id":"","method":"x"})").id, RequestId(""));
  EXPECT_EQ(parsed(parser, R"({"id":"a\n","method":"x"})").id, RequestId("a\n"));
  EXPECT_EQ(parsed(parser, R"({"id":-0,"method":"x"})").id, RequestId(0));
  EXPECT_EQ(parsed(parser, R"({"id":9223372036854775807,"method":"x"})").id, RequestId(INT64_MAX));
  EXPECT_EQ(parsed(parser, R"({"id":-9223372036854775808,"method":"x"})").id, RequestId(INT64_MIN));
}

TEST(Envelope, RefusesOtherIds) {
  for (const char* id : {"null", "1.0", "1e2", "1.5", "true", "{}", "[]", "[1]", "9223372036854775808",
                         "-9223372036854775809", "123456789012345678901234567890"}) {
    for (const char* rest : {R"(,"method":"x"})", R"(,"method":"initialized"})", R"(,"result":1})",
                             R"(,"error":{"code":1,"message":"m"}})"}) {
      EXPECT_EQ(problem_of(R"({"id":)" + std::string(id) + rest),
                "data did not match any variant of untagged enum RequestId")
          << id << rest;
    }
  }
}

TEST(Envelope, RefusesWhatIsNoObject) {
  for (const char* text : {"[1,2]", "[]", "5", "null", "\"x\"", R"([{"id":1,"method":"x"}])"}) {
    EXPECT_EQ(problem_of(text), "expected a JSON-RPC object") << text;
  }
}

TEST(Envelope, SaysWhatIsWrongWithAMember) {
  const std::pair<const char*, const char*> rows[] = {
      {"{}", "missing field `error`"},
      {R"({"id":1})", "missing field `error`"},
      {R"({"result":1})", "missing field `id`"},
      {R"({"error":{"code":1,"message":"m"}})", "missing field `id`"},
      {R"({"method":5,"id":1})", "invalid type: number, expected a string"},
      {R"({"method":5})", "invalid type: number, expected a string"},
      {R"({"method":null,"result":5,"id":1})", "invalid type: null, expected a string"},
      {R"({"id":1,"error":5})", "invalid type: number, expected struct JSONRPCErrorError"},
      {R"({"id":1,"error":null})", "invalid type: null, expected struct JSONRPCErrorError"},
      {R"({"id":1,"error":{}})", "missing field `code`"},
      {R"({"id":1,"error":{"code":1}})", "missing field `message`"},
      {R"({"id":1,"error":{"code":"x","message":"m"}})", "invalid type: string \"x\", expected i64"},
      {R"({"id":1,"error":{"message":5,"code":"x"}})", "invalid type: number, expected a string"},
      {R"({"id":1,"error":{"code":1.5,"message":"m"}})", "invalid number"},
      {R"({"id":1,"error":{"code":99999999999999999999,"message":"m"}})", "invalid number"},
      {R"({"error":5,"id":null})", "invalid type: number, expected struct JSONRPCErrorError"},
      {R"({"id":1,"method":"x","trace":5})", "invalid type: number, expected struct W3cTraceContext"},
      {R"({"id":1,"method":"x","trace":"s"})", "invalid type: string \"s\", expected struct W3cTraceContext"},
      {R"({"id":1,"method":"x","trace":[]})", "invalid type: sequence, expected struct W3cTraceContext"},
      {R"({"id":1,"method":"x","trace":{"traceparent":5}})", "invalid type: number, expected a string"},
      {R"({"id":1,"method":"x","trace":{"foo":5,"tracestate":7}})", "invalid type: number, expected a string"},
      {R"({"trace":7,"id":null,"method":"x"})", "invalid type: number, expected struct W3cTraceContext"},
  };
  for (const auto& [text, problem] : rows) EXPECT_EQ(problem_of(text), problem) << text;
}

TEST(Envelope, TakesAnEmptyTraceAsNone) {
  for (const char* trace : {"null", "{}", R"({"traceparent":null,"tracestate":null})", R"({"foo":1})"}) {
    MessageParser parser;
    EXPECT_EQ(parsed(parser, R"({"id":1,"method":"x","trace":)" + std::string(trace) + "}").traceparent, "") << trace;
  }
}

TEST(Envelope, PassesOnWhatTheParserRefuses) {
  EXPECT_EQ(problem_of(R"({"id":1,"id":2,"method":"x"})"), "duplicate JSON object key `id` at line 1 column 12");
  EXPECT_EQ(problem_of(" "), "EOF while parsing a value at line 1 column 1");
}

TEST(Envelope, RefusesEveryPrefixOfAMessage) {
  const std::string text = R"({"id":1,"method":"x","params":{"a":["\u00e9",1.5,null]},"trace":{"traceparent":"t"}})";
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_NE(problem_of(text.substr(0, size)), "") << size;
}

TEST(RequestId, WritesItselfAsItCame) {
  for (const RequestId& id : {RequestId(0), RequestId(-1), RequestId(INT64_MIN), RequestId(""), RequestId("a\"\n")}) {
    std::string json(id.json_size(), ' ');
    EXPECT_EQ(id.write_json(json.data()), json.data() + json.size());
    MessageParser parser;
    EXPECT_EQ(parsed(parser, R"({"method":"x","id":)" + json + "}").id, id);
  }
}

TEST(RequestId, NumbersAndTextsAreDifferentIds) {
  EXPECT_NE(RequestId(1), RequestId("1"));
}

}  // namespace
}  // namespace outpost::wire
