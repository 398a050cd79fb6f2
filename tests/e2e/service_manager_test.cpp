#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "os/io.h"
#include "os/socket.h"
#include "support/program.h"
#include "support/temporary_folder.h"
#include "support/test_client.h"

namespace outpost {
namespace {

using testing::RawSocket;
using testing::TestClient;

/// Plays the service manager for one server: a socket is handed over, notes are taken.
class ServiceManagerTest : public ::testing::Test {
 protected:
  ServiceManagerTest() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_.path("notify");
    std::memcpy(address.sun_path, path.data(), path.size());
    board_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(board_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const int on = 1;
    EXPECT_EQ(::setsockopt(board_.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
  }
  ~ServiceManagerTest() override {
    if (pid_ > 0) {
      ::kill(pid_, SIGTERM);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  /// Starts `outpost serve` with `passed` as its descriptor 3. LISTEN_PID is its pid, or `listen_pid`.
  void start(const std::vector<std::string>& arguments, const os::FileDescriptor& passed, pid_t listen_pid = 0) {
    os::Pipe output = *os::make_pipe(os::Blocking::yes, os::Blocking::yes);
    const os::FileDescriptor copy = *os::duplicate(passed.get());
    pid_ = ::fork();
    ASSERT_GE(pid_, 0);
    if (pid_ == 0) {
      ::dup2(output.write.get(), STDOUT_FILENO);
      if (copy.get() == 3) std::_Exit(3);  // it would be closed on exec; `dup2` below clears that otherwise
      ::dup2(copy.get(), 3);
      ::setenv("LISTEN_PID", std::to_string(listen_pid != 0 ? listen_pid : ::getpid()).c_str(), 1);
      ::setenv("LISTEN_FDS", "1", 1);
      ::setenv("NOTIFY_SOCKET", folder_.path("notify").c_str(), 1);
      std::vector<char*> argv{const_cast<char*>(OUTPOST_BINARY), const_cast<char*>("serve")};
      for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      ::execv(OUTPOST_BINARY, argv.data());
      std::_Exit(127);
    }
    output_ = std::move(output.read);
  }
  /// The next note; that it came from the process that was started.
  std::string note() {
    EXPECT_TRUE(testing::wait_readable(board_.get()));
    char text[64];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    iovec part{.iov_base = text, .iov_len = sizeof text};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(board_.get(), &message, 0);
    if (size < 0 || CMSG_FIRSTHDR(&message) == nullptr) return "nothing";
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof sender);
    EXPECT_EQ(sender.pid, pid_);
    return {text, static_cast<std::size_t>(size)};
  }
  int end() {
    ::kill(pid_, SIGTERM);
    return wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const testing::TemporaryFolder folder_;
  os::FileDescriptor board_, output_;
  os::FileDescriptor socket_ = *os::listen_tcp("127.0.0.1", 0);
  std::string address_ = *os::local_address(socket_.get());
  std::uint16_t port_ = static_cast<std::uint16_t>(std::stoi(address_.substr(address_.rfind(':') + 1)));
  pid_t pid_ = 0;
};

TEST_F(ServiceManagerTest, ItsSocketIsServedAndItIsToldOfTheBeginningAndTheEnd) {
  start({"--listen", "fd://"}, socket_);
  EXPECT_EQ(testing::read_line(output_.get()), "ws://" + address_);
  EXPECT_EQ(note(), "READY=1");
  {
    TestClient client(port_);
    client.handshake();
    // What was meant for us isn't inherited.
    const std::string names =
        "printf '%s.' \"$LISTEN_FDS\" \"$LISTEN_PID\" \"$NOTIFY_SOCKET\"; ls /proc/self/fd | wc -l";
    auto params = client.start_params("p", {"/bin/sh", "-c", names});
    params.env_policy = wire::EnvPolicy{};
    params.env_policy->inherit = wire::EnvInherit::all;
    EXPECT_TRUE(client.call<wire::StartResult>("process/start", params));
    EXPECT_EQ(client.wait_closed("p").out, "...4\n");
  }
  EXPECT_EQ(end(), 0);
  EXPECT_EQ(note(), "STOPPING=1");
}

TEST_F(ServiceManagerTest, SocketsForAnotherProcessAreNotTaken) {
  start({"--listen", "fd://"}, socket_, ::getpid());
  EXPECT_EQ(wait(), 1);
}

TEST_F(ServiceManagerTest, AnAddressThatOthersReachNeedsAuthenticationHereToo) {
  socket_ = *os::listen_tcp("0.0.0.0", 0);
  start({"--listen", "fd://"}, socket_);
  EXPECT_EQ(wait(), 1);
  EXPECT_EQ(note(), "STOPPING=1");
}

}  // namespace
}  // namespace outpost
