#include <fcntl.h>
#include <sys/mount.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/limits/file_reads.h"
#include "base/run_until.h"
#include "local/files/files_fixture.h"
#include "local/files/local_file_system.h"
#include "wire/path_uri.h"

namespace outpost::local {
namespace {

using namespace testing;
using capability::FileAnswer;

/// A file system whose server never says a word, not even that it is there.
std::string mount_silent_fuse(const std::string& at, os::FileDescriptor& server) {
  server.reset(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
  const std::string options = "fd=" + std::to_string(server.get()) + ",rootmode=40000,user_id=0,group_id=0";
  if (server && ::mount("silent", at.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0) return {};
  return std::string(not_permitted) + std::strerror(errno);
}

/// Asks for the metadata of a path.
void ask(capability::FileClient& client, const std::string& path, std::optional<Result<FileAnswer>>& answer) {
  wire::GetMetadataParams params;
  params.path = {wire::uri_from_path(path)};
  client.call(std::move(params), {}, [&](Result<FileAnswer> given) { answer = std::move(given); });
}

class HangingMount : public FilesTest {
 protected:
  /// In a child: files elsewhere are reached while calls hang, and what hung is answered when the mount is given up.
  std::string others_are_reached() const {
    os::FileDescriptor server;
    if (std::string told = mount_silent_fuse(path("mount"), server); !told.empty()) return told;
    Loop loop;
    WorkerPool pool(4);
    LocalFileSystem files(loop, pool);
    const auto client = files.connect([](std::uint64_t) {}), other = files.connect([](std::uint64_t) {});
    std::vector<std::optional<Result<FileAnswer>>> hanging(6);
    for (auto& answer : hanging) ask(*client, path("mount/file"), answer);
    std::optional<Result<FileAnswer>> through_link, here, elsewhere;
    ask(*client, path("to-mount/file"), through_link);
    ask(*client, path("file"), here);
    if (!here || !*here) return "a local file must be answered from within";
    wire::DigestParams digest;
    digest.path = {wire::uri_from_path(path("file"))};
    other->call(std::move(digest), {}, [&](Result<FileAnswer> given) { elsewhere = std::move(given); });
    if (!::outpost::testing::run_until(loop, [&] { return elsewhere.has_value(); })) return "another connection hangs";
    for (const auto& answer : hanging) {
      if (answer) return "what hangs was answered";
    }
    if (through_link) return "a link into the mount was followed on the loop";
    server.reset();
    const auto over = [&] {
      return std::ranges::all_of(hanging, [](const auto& answer) { return answer.has_value(); });
    };
    if (!::outpost::testing::run_until(loop, over)) return "no answer after the end of the mount";
    return (*hanging[0]) ? "succeeded" : "";
  }
};

TEST_F(HangingMount, UsesUpNeitherTheConnectionNorThePool) {
  folder("mount");
  put("file", "x");
  link("mount", "to-mount");
  EXPECT_IN_OWN_MOUNTS([this] { return others_are_reached(); });
}

}  // namespace
}  // namespace outpost::local
