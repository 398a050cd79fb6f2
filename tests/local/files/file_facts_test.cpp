#include <sys/socket.h>
#include <sys/un.h>

#include "files_fixture.h"
#include "local/files/digest_file.h"
#include "local/files/list_full.h"
#include "local/files/make_folders.h"
#include "local/files/open_file.h"
#include "local/files/set_metadata.h"

namespace outpost::local {
namespace {

using namespace testing;
using Kind = os::FolderReader::Kind;

class SetMetadataTest : public FilesTest {
 protected:
  Result<> set(const std::string& name, const MetadataChange& change) const { return set_metadata(path(name), change); }
};

TEST_F(SetMetadataTest, SizeModeAndTime) {
  put("a", "12345");
  link("a", "l");
  expect_done(set("l", {.mode = 0751, .modified_at_ms = 1'234'567'890'987, .size = 7}));
  EXPECT_EQ(get("a"), std::string("12345\0\0", 7));
  EXPECT_EQ(mode("a"), 0751u);
  EXPECT_EQ(status("a").st_mtim.tv_sec, 1'234'567'890);
  EXPECT_EQ(status("a").st_mtim.tv_nsec, 987'000'000);
  expect_done(set("a", {.size = 2}));
  EXPECT_EQ(get("a"), "12");
  expect_done(set("a", {.mode = 07777}));
  EXPECT_EQ(mode("a"), 07777u);
  expect_done(set("a", {.modified_at_ms = -1500}));
  EXPECT_EQ(status("a").st_mtim.tv_sec, -2);
  EXPECT_EQ(status("a").st_mtim.tv_nsec, 500'000'000);
}

TEST_F(SetMetadataTest, Errors) {
  put("a", "12345");
  folder("d");
  fifo("ff");
  expect_failed(set("a", {}), ErrorKind::invalid_params, "mode, modifiedAtMs or size is required");
  expect_os_error(set("zz", {.mode = 0}), ErrorKind::not_found, ENOENT);
  expect_os_error(set("d", {.size = 0}), ErrorKind::io, EISDIR);
  expect_os_error(set("ff", {.size = 0}), ErrorKind::io, ENXIO);
  expect_failed(set_metadata("/dev/null", {.size = 0}), ErrorKind::invalid_input, "path `/dev/null` is not a file");
  expect_os_error(set("a", {.size = std::uint64_t{1} << 63}), ErrorKind::io, EFBIG);
  expect_done(set("d", {.mode = 0700, .modified_at_ms = 0}));
}

TEST_F(SetMetadataTest, WithoutFollowingALinkTakesATimeOnly) {
  put("a", "12345", 0644);
  link("a", "l");
  folder("d");
  link("d", "ld");
  put("d/f");
  expect_os_error(set("l", {.mode = 0600, .follow_symlinks = false}), ErrorKind::io, EOPNOTSUPP);
  expect_os_error(set("l", {.modified_at_ms = 1000, .size = 1, .follow_symlinks = false}), ErrorKind::io, EOPNOTSUPP);
  expect_os_error(set("ld/f", {.mode = 0600, .follow_symlinks = false}), ErrorKind::io, ENOTDIR);
  expect_done(set("l", {.modified_at_ms = 1000, .follow_symlinks = false}));
  EXPECT_EQ(status("l").st_mtim.tv_sec, 1);
  EXPECT_NE(status("a").st_mtim.tv_sec, 1);
  EXPECT_EQ(mode("a"), 0644u);
  expect_done(set("a", {.mode = 0600, .modified_at_ms = 2000, .size = 1, .follow_symlinks = false}));
  EXPECT_EQ(mode("a"), 0600u);
}

class DigestTest : public FilesTest {
 protected:
  Result<FileDigest> digest(const std::string& name, std::uint64_t offset = 0, std::optional<std::uint64_t> length = {},
                            bool follow = true) const {
    return digest_file(path(name), offset, length, follow, stop_.get_token());
  }
};

TEST_F(DigestTest, OfTheWholeAndOfAPart) {
  put("a", "xabcy");
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const auto part = digest("a", 1, 3);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->sha256, abc);
  EXPECT_EQ(part->bytes, 3u);
  EXPECT_EQ(part->size, 5u);
  put("b", "abc");
  EXPECT_EQ(digest("b")->sha256, abc);
  EXPECT_EQ(digest("b", 0, 100)->bytes, 3u);
  const std::string none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  for (const auto& empty : {digest("b", 3), digest("b", 99), digest("b", 0, 0)}) EXPECT_EQ(empty->sha256, none);
}

TEST_F(DigestTest, OfMoreThanOnePortion) {
  // SHA-256 of a million times "a" is in FIPS 180.
  put("a", std::string(5'000'000, 'a'));
  EXPECT_EQ(digest("a", 2'000'001, 1'000'000)->sha256,
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(DigestTest, Errors) {
  put("a", "x");
  link("a", "l");
  folder("d");
  fifo("ff");
  expect_os_error(digest("zz"), ErrorKind::not_found, ENOENT);
  expect_os_error(digest("l", 0, {}, false), ErrorKind::io, ELOOP);
  for (const char* name : {"d", "ff"}) {
    expect_failed(digest(name), ErrorKind::invalid_input, std::string("/") + name + "` is not a file");
    expect_failed(digest(name, 0, {}, false), ErrorKind::invalid_input, "path is not a regular file");
  }
  expect_os_error(digest("a", std::uint64_t{1} << 63), ErrorKind::invalid_input, EINVAL);
  stop_.request_stop();
  expect_failed(digest("a"), ErrorKind::cancelled, "request cancelled");
}

// R41: a FIFO or an endless device never holds up a read, by whatever name.
TEST_F(DigestTest, OpeningForReadingNeverWaits) {
  put("a", "x");
  fifo("ff");
  link("ff", "l");
  for (const std::string& name : {path("ff"), path("l"), std::string("/dev/zero"), std::string("/")}) {
    expect_failed(open_regular_file(name, true), ErrorKind::invalid_input, "path `" + name + "` is not a file");
  }
  expect_failed(open_regular_file("/", false), ErrorKind::invalid_input, "path must name an entry");
  const os::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_os_error(open_regular_file(path("socket"), true), ErrorKind::io, ENXIO);
  EXPECT_TRUE(open_regular_file(path("a"), false));
}

class ListFullTest : public FilesTest {
 protected:
  using FilesTest::FilesTest;
  Result<std::vector<FullEntry>> list(const std::string& name = ".") const {
    return list_directory_full(path(name), stop_.get_token());
  }
};

TEST_F(ListFullTest, NothingIsLeftOut) {
  put("file", "12345", 04751);
  folder("folder");
  fifo("fifo");
  link("gone\xff", "dangling");
  link("loop", "loop");
  put("\xff\xfe");
  put("new\nline");
  const auto listed = list();
  ASSERT_TRUE(listed);
  std::vector<std::pair<std::string, Kind>> found;
  for (const FullEntry& entry : *listed) found.emplace_back(entry.name, entry.kind);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, Kind>>{{"dangling", Kind::link},
                                                              {"fifo", Kind::fifo},
                                                              {"file", Kind::file},
                                                              {"folder", Kind::folder},
                                                              {"loop", Kind::link},
                                                              {"new\nline", Kind::file},
                                                              {"\xff\xfe", Kind::file}}));
  EXPECT_EQ((*listed)[0].link_target, "gone\xff");
  EXPECT_EQ((*listed)[2].link_target, std::nullopt);
  EXPECT_EQ((*listed)[2].size, 5u);
  EXPECT_EQ((*listed)[2].mode, 04751u);
  EXPECT_EQ((*listed)[2].modified_at_ms,
            status("file").st_mtim.tv_sec * 1000 + status("file").st_mtim.tv_nsec / 1'000'000);
}

TEST_F(ListFullTest, DevicesHaveTheirKinds) {
  const auto listed = list_directory_full("/dev", {});
  ASSERT_TRUE(listed);
  EXPECT_TRUE(std::ranges::any_of(
      *listed, [](const FullEntry& entry) { return entry.name == "null" && entry.kind == Kind::character_device; }));
}

TEST_F(ListFullTest, Errors) {
  put("a");
  folder("d");
  link("d", "ld");
  expect_os_error(list("zz"), ErrorKind::not_found, ENOENT);
  expect_os_error(list("a"), ErrorKind::io, ENOTDIR);
  expect_done(list("ld"));
  stop_.request_stop();
  expect_failed(list(), ErrorKind::cancelled, "request cancelled");
}

class ListManyTest : public ListFullTest {
 protected:
  ListManyTest() : ListFullTest(quick_parent()) {}
};

TEST_F(ListManyTest, FiftyThousandPassAndOneMoreDoesNot) {
  folder("d");
  const os::FileDescriptor d(::open(path("d").c_str(), O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 50'000; ++i) ::mknodat(d.get(), std::to_string(i).c_str(), S_IFREG | 0600, 0);
  EXPECT_EQ(list("d")->size(), 50'000u);
  ASSERT_EQ(::mknodat(d.get(), "one more", S_IFREG | 0600, 0), 0);
  expect_failed(list("d"), ErrorKind::io, "fs/readDirectory returned 50001 entries; limit is 50000");
}

class MakeFoldersTest : public FilesTest {};

TEST_F(MakeFoldersTest, MakesWhatIsMissingAndTakesWhatIsThere) {
  put("f");
  link("gone", "dangling");
  folder("d");
  link("d", "ld");
  for (const char* name : {"a/b/c/d", "a/b", "ld", "ld/x"}) expect_done(make_folders(path(name)));
  EXPECT_TRUE(fs::is_directory(path("a/b/c/d")) && fs::is_directory(path("d/x")));
  expect_done(make_folders("/"));
  expect_os_error(make_folders(path("f")), ErrorKind::io, EEXIST);
  expect_os_error(make_folders(path("dangling")), ErrorKind::io, EEXIST);
  expect_os_error(make_folders(path("dangling/x")), ErrorKind::io, EEXIST);
  expect_os_error(make_folders(path("f/x")), ErrorKind::io, ENOTDIR);
  expect_os_error(make_folders(path("a/" + std::string(256, 'n'))), ErrorKind::io, ENAMETOOLONG);
}

}  // namespace
}  // namespace outpost::local
