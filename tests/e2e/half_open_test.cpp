// A peer that is gone without a word, by a network of its own whose link goes down: no FIN comes, and nothing else.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "os/fd.h"
#include "support/program.h"
#include "support/test_client.h"

namespace outpost {
namespace {

bool shell(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

/// A network namespace that reaches ours over one link, as long as that is up.
class FarNetwork {
 public:
  FarNetwork() {
    made_ = shell("ip netns add " + name_) && shell("ip link add " + near_ + " type veth peer name " + far_) &&
            shell("ip link set " + far_ + " netns " + name_) && shell("ip addr add 198.18.77.1/30 dev " + near_) &&
            shell("ip link set " + near_ + " up") && inside("ip addr add 198.18.77.2/30 dev " + far_) &&
            inside("ip link set " + far_ + " up");
  }
  ~FarNetwork() {
    shell("ip link del " + near_);
    shell("ip netns del " + name_);
  }
  FarNetwork(const FarNetwork&) = delete;
  FarNetwork& operator=(const FarNetwork&) = delete;

  bool made() const { return made_; }
  static constexpr const char* our_address = "198.18.77.1";
  void link_down() { ASSERT_TRUE(inside("ip link set " + far_ + " down")); }
  /// Does something whose sockets belong there.
  template <class Do>
  void from_there(Do action) {
    const os::FileDescriptor here(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    const os::FileDescriptor there(::open(("/var/run/netns/" + name_).c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::setns(there.get(), CLONE_NEWNET), 0);
    action();
    ASSERT_EQ(::setns(here.get(), CLONE_NEWNET), 0);
  }

 private:
  bool inside(const std::string& command) { return shell("ip netns exec " + name_ + " " + command); }
  const std::string number_ = std::to_string(::getpid());
  const std::string name_ = "outpost-" + number_, near_ = "opa" + number_, far_ = "opb" + number_;
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
    far.from_there([&] { client = std::make_unique<testing::TestClient>(port, FarNetwork::our_address); });
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
