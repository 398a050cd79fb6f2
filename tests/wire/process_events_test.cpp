#include "wire/process_events.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/codec.h"
#include "wire/json_parser.h"
#include "wire/json_writer.h"

namespace outpost::wire {
namespace {

/// What `write` makes, in memory of exactly `size` bytes.
template <class Write>
std::string written(std::size_t size, Write write) {
  std::vector<char> memory(size);
  EXPECT_EQ(write(memory.data()), memory.data() + size);
  return {memory.begin(), memory.end()};
}

std::string output(std::string_view id, std::uint64_t seq, OutputStream stream, std::string_view bytes) {
  return written(output_notification_size(id, seq, stream, bytes.size()),
                 [&](char* out) { return write_output_notification(out, id, seq, stream, as_bytes(bytes)); });
}

std::string read(const RequestId& id, const ReadAnswer& answer) {
  return written(read_answer_size(id, answer), [&](char* out) { return write_read_answer(out, id, answer); });
}

TEST(ProcessEvents, WritesOutput) {
  EXPECT_EQ(output("\"q\"", 1, OutputStream::stderr, "e\n"),
            R"({"method":"process/output","params":{"processId":"q","seq":1,"stream":"stderr","chunk":"ZQo="}})");
  EXPECT_EQ(
      output("\"\"", 12345678901234, OutputStream::pty, "hi\n"),
      R"({"method":"process/output","params":{"processId":"","seq":12345678901234,"stream":"pty","chunk":"aGkK"}})");
}

TEST(ProcessEvents, WritesOutputOfEveryLength) {
  std::string id;
  append_json_string(id, "p\"\n");
  std::string bytes;
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string text = output(id, size, OutputStream::stdout, bytes);
    JsonDocument document;
    ASSERT_TRUE(parse_json(text, document)) << text;
    EXPECT_EQ(document.root().find("method").as_string(), "process/output");
    auto event = decode<OutputEvent>(document.root().find("params"));
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->process_id, "p\"\n");
    EXPECT_EQ(event->seq, size);
    EXPECT_EQ(as_text(event->chunk.bytes.view()), bytes);
    bytes += static_cast<char>(size);
  }
}

TEST(ProcessEvents, WritesExitAndClose) {
  const auto exited = [](int code, bool denied, EndedBy ended_by = EndedBy::itself) {
    const std::string outpost = ended_by_json(ended_by);
    return written(exited_notification_size("\"q\"", 3, code, denied, outpost),
                   [&](char* out) { return write_exited_notification(out, "\"q\"", 3, code, denied, outpost); });
  };
  EXPECT_EQ(exited(143, false, EndedBy::timeout),
            R"({"method":"process/exited","params":{"processId":"q","seq":3,"exitCode":143,"sandboxDenied":false,)"
            R"("outpost":{"endedBy":"timeout"}}})");
  EXPECT_EQ(exited(3, false),
            R"({"method":"process/exited","params":{"processId":"q","seq":3,"exitCode":3,"sandboxDenied":false}})");
  EXPECT_EQ(exited(-1, true),
            R"({"method":"process/exited","params":{"processId":"q","seq":3,"exitCode":-1,"sandboxDenied":true}})");
  EXPECT_EQ(written(closed_notification_size("\"q\"", 40),
                    [](char* out) { return write_closed_notification(out, "\"q\"", 40); }),
            R"({"method":"process/closed","params":{"processId":"q","seq":40}})");
}

TEST(ProcessEvents, WritesTheAnswerToARead) {
  const ReadChunk chunks[] = {{1, OutputStream::stderr, as_bytes("e\n")}, {2, OutputStream::stdout, as_bytes("hi\n")}};
  EXPECT_EQ(read(RequestId("3\x01"), {.chunks = chunks, .next_seq = 3}),
            R"({"id":"3\u0001","result":{"chunks":[{"seq":1,"stream":"stderr","chunk":"ZQo="},)"
            R"({"seq":2,"stream":"stdout","chunk":"aGkK"}],"nextSeq":3,"exited":false,"exitCode":null,)"
            R"("closed":false,"failure":null,"sandboxDenied":false}})");
  EXPECT_EQ(read(RequestId(-7), {.chunks = std::span(chunks, 1),
                                 .next_seq = 5,
                                 .exited = true,
                                 .exit_code = 137,
                                 .closed = true,
                                 .failure = "lost \"it\"",
                                 .sandbox_denied = true}),
            R"({"id":-7,"result":{"chunks":[{"seq":1,"stream":"stderr","chunk":"ZQo="}],"nextSeq":5,"exited":true,)"
            R"("exitCode":137,"closed":true,"failure":"lost \"it\"","sandboxDenied":true}})");
  EXPECT_EQ(read(RequestId(1), {}),
            R"({"id":1,"result":{"chunks":[],"nextSeq":1,"exited":false,"exitCode":null,"closed":false,)"
            R"("failure":null,"sandboxDenied":false}})");
}

// The struct for clients writes the same text, so the two can't drift apart.
TEST(ProcessEvents, WritesWhatTheClientsStructWrites) {
  const ReadChunk chunks[] = {{9, OutputStream::pty, as_bytes("abc")}, {11, OutputStream::pty, as_bytes("d")}};
  const ReadAnswer answer{.chunks = chunks, .next_seq = 12, .exited = true, .exit_code = 0, .closed = true};
  const std::string text = read(RequestId(1), answer);
  JsonDocument document;
  ASSERT_TRUE(parse_json(text, document));
  auto result = decode<ReadResult>(document.root().find("result"));
  ASSERT_TRUE(result) << result.error().message;
  std::string out = R"({"id":1,"result":)";
  encode(out, *result);
  EXPECT_EQ(out + "}", text);
}

}  // namespace
}  // namespace outpost::wire
