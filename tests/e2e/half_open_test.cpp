// A peer that is gone without a word, by a network of its own whose link goes down: no FIN comes, and nothing else.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "os/fd.h"
#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

bool shell(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

/// Two network namespaces of our own, joined by one link as long as that is up; the test and what it starts live in one
/// of them, the other is far. Neither has a name: they go with whoever uses them.
class FarNetwork {
 public:
  FarNetwork() : before_(own_namespace()) {
    std::thread([this] { far_ = enter_new_namespace(); }).join();
    ours_ = enter_new_namespace();
    made_ = ours_ && far_ && shell("ip link set lo up") && shell("ip link add near type veth peer name far") &&
            shell("ip link set far netns " + far_path()) && shell("ip addr add 198.18.77.1/30 dev near") &&
            shell("ip link set near up") && inside("ip addr add 198.18.77.2/30 dev far") &&
            inside("ip link set far up");
  }
  ~FarNetwork() { ::setns(before_.get(), CLONE_NEWNET); }
  FarNetwork(const FarNetwork&) = delete;
  FarNetwork& operator=(const FarNetwork&) = delete;

  bool made() const { return made_; }
  static constexpr const char* our_address = "198.18.77.1";
  void link_down() { ASSERT_TRUE(inside("ip link set far down")); }
  /// Does something whose sockets belong there.
  template <class Do>
  void from_there(Do action) {
    ASSERT_EQ(::setns(far_.get(), CLONE_NEWNET), 0);
    action();
    ASSERT_EQ(::setns(ours_.get(), CLONE_NEWNET), 0);
  }

 private:
  static os::FileDescriptor own_namespace() {
    return os::FileDescriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  }
  /// Of the calling thread; invalid if that isn't allowed.
  static os::FileDescriptor enter_new_namespace() {
    return ::unshare(CLONE_NEWNET) == 0 ? own_namespace() : os::FileDescriptor();
  }
  std::string far_path() const { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(far_.get()); }
  bool inside(const std::string& command) { return shell("nsenter --net=" + far_path() + " " + command); }

  os::FileDescriptor before_, ours_, far_;
  bool made_ = false;
};

/// A server that both networks reach, and a client far away whose process runs.
class HalfOpen : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!far.made()) GTEST_SKIP() << "this machine doesn't allow network namespaces and links between them";
  }
  void begin(std::vector<std::string> options) {
    options.insert(options.begin(), {"--listen", "ws://0.0.0.0:0", "--allow-unauthenticated"});
    server = std::make_unique<testing::TestServer>(std::move(options));
    const std::string url = server->guard().line();
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    far.from_there([&] { client = std::make_unique<testing::TestClient>(port, "", FarNetwork::our_address); });
    session = client->handshake();
    client->start("p", {"/bin/sleep", "600"});
    far.link_down();
  }
  void resume_from_here() {
    testing::TestClient here(server->port());
    here.resume(session);
    wire::TerminateParams params;
    params.process_id = "p";
    const auto ended = here.call<wire::TerminateResult>("process/terminate", params);
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->running);
  }
  FarNetwork far;
  std::unique_ptr<testing::TestServer> server;
  std::unique_ptr<testing::TestClient> client;
  std::string session;
};

TEST_F(HalfOpen, ADeadPeerLosesItsSessionToWhoAsksForIt) {
  begin({"--resume-probe-ms", "300"});
  resume_from_here();
}

TEST_F(HalfOpen, ADeadPeerIsDetachedWithoutBeingAskedFor) {
  begin({"--resume-probe-ms", "0", "--ping-interval", "0.2"});
  resume_from_here();
}

}  // namespace
}  // namespace outpost
