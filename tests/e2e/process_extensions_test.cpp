// The members and methods that Outpost adds to processes (extensions 4, 7, 13), against the program.
#include <gtest/gtest.h>

#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

class ProcessExtensions : public ::testing::Test {
 protected:
  ProcessExtensions() { client.handshake(); }
  void wait_for(const std::string& id, const std::string& text) {
    EXPECT_TRUE(client.wait_until([&] {
      const auto& process = client.followed(id);
      return (process.out + process.pty).find(text) != std::string::npos;
    })) << text;
  }
  /// The text of the error, or the whole answer if it is none.
  std::string error_of(const std::string& method, const std::string& params) {
    const std::string answer = client.ask(method, params);
    const auto begin = answer.find("\"message\":\"");
    if (begin == std::string::npos) return answer;
    return answer.substr(begin + 11, answer.find("\"}", begin) - begin - 11);
  }
  std::string start_error(const std::string& outpost, bool tty = false) {
    return error_of("process/start", R"({"processId":"x","argv":["true"],"cwd":"file:///","env":{},"tty":)" +
                                         std::string(tty ? "true" : "false") + R"(,"outpost":)" + outpost + "}");
  }
  testing::TestServer server;
  testing::TestClient client{server.port()};
};

TEST_F(ProcessExtensions, StartAnswersWhatHolds) {
  const std::string answer = client.ask(
      "process/start",
      R"({"processId":"p","argv":["/bin/sh","-c","echo $$"],"cwd":"file:///","env":{},"tty":false,"outpost":{"retainBytes":8388608}})");
  const std::string pid = client.wait_closed("p").out;
  EXPECT_EQ(
      answer,
      R"({"id":2,"result":{"processId":"p","sandboxType":"none","outpost":{"onDetach":"drain","retainBytes":8388608,"pid":)" +
          pid.substr(0, pid.size() - 1) + "}}}");
}

TEST_F(ProcessExtensions, StartWithoutItAnswersAsTheReference) {
  for (const std::string outpost : {"null", "{}"}) {
    const std::string answer =
        client.ask("process/start", R"({"processId":")" + outpost +
                                        R"(","argv":["/bin/true"],"cwd":"file:///","env":{},"tty":false,"outpost":)" +
                                        outpost + "}");
    EXPECT_EQ(answer.find("outpost"), std::string::npos) << answer;
  }
}

TEST_F(ProcessExtensions, EveryRangeAndNameOfStartIsChecked) {
  EXPECT_EQ(start_error(R"({"timeoutMs":0})"), "outpost.timeoutMs must be between 1 and 2592000000");
  EXPECT_EQ(start_error(R"({"timeoutMs":2592000001})"), "outpost.timeoutMs must be between 1 and 2592000000");
  EXPECT_EQ(start_error(R"({"timeoutMs":1,"graceMs":60001})"), "outpost.graceMs must be between 0 and 60000");
  EXPECT_EQ(start_error(R"({"graceMs":5})"), "outpost.graceMs needs timeoutMs");
  EXPECT_EQ(start_error(R"({"retainBytes":65535})"), "outpost.retainBytes must be between 65536 and 9007199254740991");
  EXPECT_EQ(start_error(R"({"size":{"rows":0,"cols":5}})", true), "outpost.size.rows must be between 1 and 65535");
  EXPECT_EQ(start_error(R"({"size":{"rows":1,"cols":65536}})", true), "outpost.size.cols must be between 1 and 65535");
  EXPECT_EQ(start_error(R"({"size":{"rows":1,"cols":2,"x":3}})", true),
            "unknown field `outpost.size.x`, expected `rows` or `cols`");
  EXPECT_EQ(start_error(R"({"size":{"rows":1,"cols":2}})"), "outpost.size needs tty");
  EXPECT_EQ(start_error(R"({"onDetatch":"hold"})"),
            "unknown field `outpost.onDetatch`, expected one of `onDetach`, `size`, `timeoutMs`, `graceMs`, `limits`, "
            "`retainBytes`");
  EXPECT_TRUE(start_error(R"({"limits":{"pids":5}})").starts_with("process limits are unavailable: "));
  EXPECT_EQ(start_error(R"("x")"), R"(invalid type: string \"x\", expected a map)");
}

TEST_F(ProcessExtensions, RetentionIsGrantedUpToTheMaximum) {
  const std::string answer = client.ask(
      "process/start",
      R"({"processId":"p","argv":["/bin/true"],"cwd":"file:///","env":{},"tty":false,"outpost":{"retainBytes":9007199254740991}})");
  EXPECT_NE(answer.find("\"retainBytes\":33554432"), std::string::npos) << answer;
}

TEST_F(ProcessExtensions, TimeoutEndsTheTreeAfterItsGrace) {
  wire::StartExtension outpost;
  outpost.timeout_ms = 200;
  outpost.grace_ms = 60000;
  const auto& process = client.run_shell(
      "p", "trap 'echo bye; exit 7' TERM; setsid sleep 1000 & while :; do read -t 0.05 x <&2; sleep 0.05; done",
      {.outpost = outpost});
  EXPECT_EQ(process.out, "bye\n");
  EXPECT_EQ(process.exit_code, 7) << "the program's own";
  const std::string read = client.ask("process/read", R"({"processId":"p"})");
  EXPECT_NE(read.find(R"("outpost":{"endedBy":"timeout"})"), std::string::npos) << read;
}

TEST_F(ProcessExtensions, TimeoutKillsWhatIgnoresIt) {
  wire::StartExtension outpost;
  outpost.timeout_ms = 50;
  outpost.grace_ms = 50;
  EXPECT_EQ(client.run_shell("p", "trap '' TERM; while :; do sleep 0.05; done", {.outpost = outpost}).exit_code, 137);
  outpost.grace_ms = 0;
  EXPECT_EQ(client.run_shell("q", "trap 'exit 5' TERM; while :; do sleep 0.05; done", {.outpost = outpost}).exit_code,
            137)
      << "a grace of 0 kills at once";
}

TEST_F(ProcessExtensions, TimeoutThatMeetsAnEndedLeaderDoesNothing) {
  wire::StartExtension outpost;
  outpost.timeout_ms = 300;
  outpost.grace_ms = 0;
  client.shell("p", "(sleep 1; echo late) & exit 3", {.outpost = outpost});
  const auto& process = client.wait_closed("p");
  EXPECT_EQ(process.exit_code, 3);
  EXPECT_EQ(process.out, "late\n");
}

TEST_F(ProcessExtensions, TerminateWithGraceLetsTheProgramCleanUp) {
  client.shell("p", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
  wait_for("p", "ready");
  EXPECT_NE(client.ask("process/terminate", R"({"processId":"p","outpost":{"graceMs":60000}})").find("true"),
            std::string::npos);
  EXPECT_EQ(client.wait_closed("p").exit_code, 7);
  EXPECT_NE(client.ask("process/read", R"({"processId":"p"})").find(R"("endedBy":"terminate")"), std::string::npos);
}

TEST_F(ProcessExtensions, ASecondTerminateWithoutGraceKillsAtOnceAndALongerGraceDoesNothing) {
  client.shell("p", "trap '' TERM; echo ready; while :; do sleep 0.05; done");
  wait_for("p", "ready");
  client.ask("process/terminate", R"({"processId":"p","outpost":{"graceMs":60000}})");
  client.ask("process/terminate", R"({"processId":"p"})");
  EXPECT_EQ(client.wait_closed("p").exit_code, 137);
  client.shell("q", "trap '' TERM; echo ready; while :; do sleep 0.05; done");
  wait_for("q", "ready");
  client.ask("process/terminate", R"({"processId":"q","outpost":{"graceMs":100}})");
  client.ask("process/terminate", R"({"processId":"q","outpost":{"graceMs":60000}})");
  EXPECT_EQ(client.wait_closed("q").exit_code, 137);
  EXPECT_EQ(error_of("process/terminate", R"({"processId":"q","outpost":{"graceMs":0}})"),
            "outpost.graceMs must be between 1 and 60000");
}

TEST_F(ProcessExtensions, SignalsReachTheGroupOrTheForeground) {
  client.shell("p", "trap 'echo one' USR1; trap 'echo two; exit 4' USR2; echo ready; while :; do sleep 0.05; done");
  wait_for("p", "ready");
  EXPECT_NE(client.ask("outpost/process/signal", R"({"processId":"p","signal":"usr1"})").find("\"delivered\":true"),
            std::string::npos);
  wait_for("p", "one");
  client.ask("outpost/process/signal", R"({"processId":"p","signal":"usr2","target":"group"})");
  EXPECT_EQ(client.wait_closed("p").exit_code, 4);
  EXPECT_NE(client.ask("outpost/process/signal", R"({"processId":"p","signal":"kill"})").find("\"delivered\":false"),
            std::string::npos);
  EXPECT_NE(client.ask("outpost/process/signal", R"({"processId":"nobody","signal":"kill"})").find("false"),
            std::string::npos);
  EXPECT_EQ(error_of("outpost/process/signal", R"({"processId":"p","signal":"foo"})"),
            "unknown variant `foo`, expected one of `term`, `hup`, `quit`, `usr1`, `usr2`, `kill`, `int`, `winch`, "
            "`cont`, `stop`");
  client.shell("q", "exec sleep 1000");
  EXPECT_EQ(error_of("outpost/process/signal", R"({"processId":"q","signal":"int","target":"foreground"})"),
            "process q has no terminal");
}

TEST_F(ProcessExtensions, ForegroundIsTheJobOfTheTerminal) {
  client.shell("p",
               "set -m; bash -c 'trap \"echo caught; exit\" USR1; echo ready; while :; do sleep 0.05; done'; echo over",
               {.tty = true});
  wait_for("p", "ready");
  EXPECT_NE(
      client.ask("outpost/process/signal", R"({"processId":"p","signal":"usr1","target":"foreground"})").find("true"),
      std::string::npos);
  EXPECT_EQ(client.wait_closed("p").exit_code, 0);
  EXPECT_TRUE(client.followed("p").pty.ends_with("caught\r\nover\r\n"));
}

TEST_F(ProcessExtensions, SizeAtTheStartAndByResize) {
  wire::StartExtension outpost;
  outpost.size = wire::TerminalSize{.rows = 33, .cols = 111};
  client.shell("p", "stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done",
               {.tty = true, .outpost = outpost});
  wait_for("p", "ready");
  EXPECT_NE(client.ask("outpost/process/resize", R"({"processId":"p","rows":7,"cols":9})").find("\"result\":{}"),
            std::string::npos);
  EXPECT_EQ(client.wait_closed("p").pty, "33 111\r\nready\r\n7 9\r\n");
  EXPECT_NE(client.ask("outpost/process/resize", R"({"processId":"p","rows":7,"cols":9})").find("\"result\":{}"),
            std::string::npos)
      << "ended";
  EXPECT_EQ(error_of("outpost/process/resize", R"({"processId":"p","rows":0,"cols":9})"),
            "rows must be between 1 and 65535");
  EXPECT_EQ(error_of("outpost/process/resize", R"({"processId":"nobody","rows":1,"cols":9})"),
            "unknown process id nobody");
  client.run_shell("q", "true");
  EXPECT_EQ(error_of("outpost/process/resize", R"({"processId":"q","rows":1,"cols":9})"), "process q has no terminal");
}

TEST_F(ProcessExtensions, CloseStdinOfATerminalSaysWhatToDoInstead) {
  client.start("p", {"/bin/cat"}, {.tty = true});
  EXPECT_EQ(error_of("outpost/process/closeStdin", R"({"processId":"p"})"),
            "process p has a terminal; write U+0004 to end its input");
}

TEST_F(ProcessExtensions, ListShowsWhatIsThereInOrder) {
  client.run_shell("a", "printf 12345; exit 3");
  client.shell("b", "exec sleep 1000", {.tty = true});
  const auto list = client.call<wire::ListResult>("outpost/process/list", wire::EmptyObject{});
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->processes.size(), 2u);
  const auto &a = list->processes[0], &b = list->processes[1];
  EXPECT_EQ(a.process_id, "a");
  EXPECT_EQ(a.state, wire::ProcessStage::closed);
  EXPECT_EQ(a.exit_code, 3);
  EXPECT_EQ(a.argv, (std::vector<std::string>{"/bin/bash", "-c", "printf 12345; exit 3"}));
  EXPECT_FALSE(a.argv_truncated);
  EXPECT_EQ(a.first_seq, 1u);
  EXPECT_EQ(a.next_seq, 4u);
  EXPECT_EQ(a.retained_bytes, 5u);
  EXPECT_EQ(a.on_detach, "drain");
  EXPECT_FALSE(a.ended_by);
  EXPECT_EQ(b.state, wire::ProcessStage::running);
  EXPECT_TRUE(b.tty);
  EXPECT_FALSE(b.exit_code);
  EXPECT_GT(b.pid.value_or(0), 1);
  EXPECT_GT(b.started_at_ms, 1'600'000'000'000);
  EXPECT_EQ(error_of("outpost/process/list", R"({"x":1})"), "unknown field `x`, there are no expected fields");
}

TEST_F(ProcessExtensions, ListCutsLongArguments) {
  client.start("p", {"/bin/true", std::string(4080, 'x') + "\u00e9\u00e9\u00e9\u00e9", "never"});
  const auto list = client.call<wire::ListResult>("outpost/process/list", wire::EmptyObject{});
  ASSERT_TRUE(list) << list.error().message;
  const auto& process = list->processes.at(0);
  EXPECT_TRUE(process.argv_truncated);
  ASSERT_EQ(process.argv.size(), 2u);
  EXPECT_EQ(process.argv[1].size(), 4086u) << "no character is cut";
}

TEST_F(ProcessExtensions, ViewShowsHeadAndTailOnceClosed) {
  client.shell("p", "printf abcdefghij; sleep 0.2; printf klmnop");
  const auto view = client.call<wire::ReadResult>(
      "process/read", wire::ReadParams{.process_id = "p",
                                       .after_seq = {},
                                       .max_bytes = {},
                                       .wait_ms = 60000,
                                       .outpost = {.given = true, .members = {.head = 3, .tail = 4}}});
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_TRUE(view->closed);
  ASSERT_EQ(view->chunks.size(), 2u);
  EXPECT_EQ(as_text(view->chunks[0].chunk.bytes.view()), "abc");
  EXPECT_EQ(as_text(view->chunks[1].chunk.bytes.view()), "mnop");
  const std::string answer = client.ask("process/read", R"({"processId":"p","outpost":{"head":3,"tail":4}})");
  EXPECT_NE(answer.find(R"("outpost":{"totalBytes":16,"omittedBytes":9,"omittedAfterSeq":1})"), std::string::npos)
      << answer;
  const std::string whole = client.ask("process/read", R"({"processId":"p","outpost":{"head":16384,"tail":1048576}})");
  EXPECT_NE(whole.find(R"("outpost":{"totalBytes":16,"omittedBytes":0,"omittedAfterSeq":null})"), std::string::npos)
      << whole;
}

TEST_F(ProcessExtensions, ViewErrors) {
  client.run_shell("p", "true");
  const auto error = [&](const std::string& rest) {
    return error_of("process/read", R"({"processId":"p",)" + rest + "}");
  };
  EXPECT_EQ(error(R"("outpost":{"head":16385})"), "outpost.head must be between 0 and 16384");
  EXPECT_EQ(error(R"("outpost":{"tail":1048577})"), "outpost.tail must be between 0 and 1048576");
  EXPECT_EQ(error(R"("afterSeq":0,"outpost":{"head":1})"), "outpost.head excludes afterSeq and maxBytes");
  EXPECT_EQ(error(R"("maxBytes":0,"outpost":{"tail":1})"), "outpost.head excludes afterSeq and maxBytes");
  EXPECT_EQ(error(R"("outpost":{"head":0,"tail":0})"), "outpost.head or outpost.tail must be greater than 0");
  EXPECT_EQ(error(R"("outpost":{"tails":1})"), "unknown field `outpost.tails`, expected `head` or `tail`");
}

}  // namespace
}  // namespace outpost
