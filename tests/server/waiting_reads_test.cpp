#include "server/waiting_reads.h"

#include <gtest/gtest.h>

#include "base/limits/processes.h"
#include "support/server_fixture.h"

namespace outpost::server {
namespace {

using namespace std::chrono_literals;
using testing::error_answer;
using testing::FakeClient;
using testing::FakeServer;
using Texts = std::vector<std::string>;

std::string read(std::size_t id, std::uint64_t after, const std::string& wait) {
  return R"({"id":)" + std::to_string(id) + R"(,"method":"process/read","params":{"processId":"p","afterSeq":)" +
         std::to_string(after) + R"(,"waitMs":)" + wait + "}}";
}
std::string answer(std::size_t id, const std::string& chunks, int next, const std::string& state) {
  return R"({"id":)" + std::to_string(id) + R"(,"result":{"chunks":[)" + chunks + R"(],"nextSeq":)" +
         std::to_string(next) + "," + state + R"(,"failure":null,"sandboxDenied":false}})";
}

constexpr auto running = R"("exited":false,"exitCode":null,"closed":false)";
constexpr auto exited = R"("exited":true,"exitCode":5,"closed":false)";
constexpr auto closed = R"("exited":true,"exitCode":5,"closed":true)";
constexpr auto first_chunk = R"({"seq":1,"stream":"stdout","chunk":"eA=="})";
constexpr auto second_chunk = R"({"seq":2,"stream":"stdout","chunk":"eA=="})";

/// A process whose notifications nobody takes, so that only answers are heard.
class WaitingReadsTest : public testing::ServerTest {
 protected:
  WaitingReadsTest() {
    process = server.start(client, "p");
    client.wire->make_room(0);
  }
  std::shared_ptr<testing::FakeProcess> process;
};

TEST_F(WaitingReadsTest, WithoutAWaitAnswersWithWhatIsThere) {
  EXPECT_EQ(client.ask(read(2, 0, "0")), answer(2, "", 1, running));
  EXPECT_EQ(client.ask(R"({"id":3,"method":"process/read","params":{"processId":"p"}})"), answer(3, "", 1, running));
}

TEST_F(WaitingReadsTest, AnswersAtOnceWhenThereIsNews) {
  process->print("x");
  EXPECT_EQ(client.ask(read(2, 0, "3600000")), answer(2, first_chunk, 2, running));
}

TEST_F(WaitingReadsTest, IsServedByNewsBehindWhatItHas) {
  process->print("x");
  client.say(read(2, 1, "3600000"));
  client.say(read(3, 2, "3600000"));
  EXPECT_EQ(client.heard(), Texts{});
  process->print("x");
  EXPECT_EQ(client.heard(), Texts{answer(2, second_chunk, 3, running)});
}

TEST_F(WaitingReadsTest, AllWhoWaitAreServed) {
  client.say(read(2, 0, "3600000"));
  client.say(read(3, 0, "3600000"));
  process->print("x");
  EXPECT_EQ(client.heard(), (Texts{answer(2, first_chunk, 2, running), answer(3, first_chunk, 2, running)}));
}

TEST_F(WaitingReadsTest, ExitIsNewsToThoseWhoHaveNotSeenIt) {
  client.say(read(2, 0, "3600000"));
  client.say(read(3, 1, "3600000"));  // passes the number of the exit: waits for what comes behind it
  process->exit(5);
  EXPECT_EQ(client.heard(), Texts{answer(2, "", 2, exited)});
  process->close();
  EXPECT_EQ(client.heard(), Texts{answer(3, "", 3, closed)});
  EXPECT_EQ(client.ask(read(4, 99, "3600000")), answer(4, "", 3, closed));
}

TEST_F(WaitingReadsTest, AnswersWithWhatThereIsWhenItsTimeIsUp) {
  client.say(read(2, 0, "20"));
  Texts heard;
  EXPECT_TRUE(testing::run_until(server.loop, [&] {
    for (auto& text : client.wire->heard()) heard.push_back(std::move(text));
    return !heard.empty();
  }));
  EXPECT_EQ(heard, Texts{answer(2, "", 1, running)});
  process->print("x");
  EXPECT_EQ(client.heard(), Texts{});
}

TEST_F(WaitingReadsTest, TakesTheLongestWait) {
  client.say(read(2, 0, "18446744073709551615"));
  testing::run_past(server.loop, 5ms);
  EXPECT_EQ(client.heard(), Texts{});
  process->print("x");
  EXPECT_EQ(client.heard().size(), 1u);
}

TEST_F(WaitingReadsTest, AreBoundedPerProcess) {
  for (std::size_t i = 0; i < limits::waiting_reads_per_process_max; ++i) client.say(read(i, 0, "3600000"));
  EXPECT_EQ(client.heard(), Texts{});
  EXPECT_EQ(client.ask(read(999, 0, "3600000")),
            error_answer(-32600, "at most 256 reads may wait for one process", "999"));
  EXPECT_EQ(client.ask(read(999, 0, "0")), answer(999, "", 1, running));
  process->print("x");
  EXPECT_EQ(client.heard().size(), limits::waiting_reads_per_process_max);
  client.say(read(1, 1, "3600000"));
  EXPECT_EQ(client.heard(), Texts{});
}

TEST_F(WaitingReadsTest, CountEachProcessByItself) {
  for (std::size_t i = 0; i < limits::waiting_reads_per_process_max; ++i) client.say(read(i, 0, "3600000"));
  client.wire->make_room(1000);
  server.start(client, "q");
  client.say(R"({"id":1,"method":"process/read","params":{"processId":"q","waitMs":3600000}})");
  EXPECT_EQ(client.heard(), Texts{});
}

}  // namespace
}  // namespace outpost::server
