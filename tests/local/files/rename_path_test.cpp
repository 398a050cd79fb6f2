#include "local/files/rename_path.h"

#include "files_fixture.h"
#include "os/file_entries.h"

namespace outpost::local {
namespace {

using namespace testing;

class RenamePathTest : public FilesTest {
 protected:
  Result<> rename(const std::string& from, const std::string& to, bool replace = true) const {
    return rename_path(path(from), path(to), replace);
  }
};

TEST_F(RenamePathTest, ReplacesUnlessToldNotTo) {
  put("a", "1");
  put("b", "2");
  expect_os_error(rename("a", "b", false), ErrorKind::io, EEXIST);
  EXPECT_EQ(get("b"), "2");
  expect_done(rename("a", "b"));
  expect_done(rename("b", "c", false));
  EXPECT_EQ(names(), std::vector<std::string>{"c"});
  EXPECT_EQ(get("c"), "1");
}

TEST_F(RenamePathTest, TheLastComponentsAreNotFollowed) {
  put("a", "1");
  put("t", "2");
  link("t", "l");
  link("a", "la");
  expect_os_error(rename("a", "l", false), ErrorKind::io, EEXIST);
  expect_done(rename("la", "moved"));
  EXPECT_TRUE(fs::is_symlink(path("moved")));
  expect_done(rename("a", "l"));
  EXPECT_EQ(get("l"), "1");
  EXPECT_FALSE(fs::is_symlink(path("l")));
  EXPECT_EQ(get("t"), "2");
}

TEST_F(RenamePathTest, Errors) {
  put("d/f");
  put("e/f");
  folder("empty");
  put("a");
  expect_os_error(rename("zz", "y"), ErrorKind::not_found, ENOENT);
  expect_os_error(rename("a", "no/such"), ErrorKind::not_found, ENOENT);
  expect_os_error(rename("d", "e"), ErrorKind::io, ENOTEMPTY);
  expect_os_error(rename("d", "e", false), ErrorKind::io, EEXIST);
  expect_os_error(rename("d", "empty", false), ErrorKind::io, EEXIST);
  expect_os_error(rename("d", "d/inner"), ErrorKind::invalid_input, EINVAL);
  expect_os_error(rename("a", "d"), ErrorKind::io, EISDIR);
  expect_os_error(rename("d", "a"), ErrorKind::io, ENOTDIR);
  expect_os_error(rename_path("/", path("x"), true), ErrorKind::io, EBUSY);
  expect_os_error(rename_path(path("a"), "/", true), ErrorKind::io, EBUSY);
  expect_os_error(rename_path(path("a"), "/", false), ErrorKind::io, EEXIST);
  expect_done(rename("d", "empty"));
  EXPECT_TRUE(there("empty/f"));
}

TEST_F(RenamePathTest, AnotherFileSystemIsAnError) {
  put("a", "kept");
  folder("m");
  EXPECT_IN_OWN_MOUNTS([&]() -> std::string {
    if (auto told = mount_full_tmpfs(path("m"), "size=1m"); !told.empty()) return told;
    if (auto told = unlike_os_error(rename("a", "m/a"), EXDEV); !told.empty()) return told;
    return unlike_os_error(rename("a", "m/a", false), EXDEV);
  });
  EXPECT_EQ(get("a"), "kept");
}

TEST(MountPoints, AreReadWithTheirEscapes) {
  EXPECT_EQ(os::mount_points_in("22 1 254:0 / / rw - ext4 /dev/vda rw\n"
                                "23 22 0:5 /x /a\\040b\\012\\134c rw,nosuid shared:1 - tmpfs none rw\n"
                                "short line\n"),
            (std::vector<std::string>{"/", "/a b\n\\c"}));
  EXPECT_EQ(os::mount_points_in(""), std::vector<std::string>());
}

}  // namespace
}  // namespace outpost::local
