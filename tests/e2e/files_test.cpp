#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/hex.h"
#include "base/limits/file_reads.h"
#include "crypto/digest.h"
#include "support/program.h"
#include "support/test_client.h"
#include "wire/path_uri.h"
#include "wire/protocol/files.h"

namespace outpost {
namespace {

namespace fs = std::filesystem;

/// 10,000,000 bytes of lines that end as those of Windows do.
std::string windows_lines() {
  constexpr std::size_t size = 10'000'000;
  std::string text;
  text.reserve(size + 64);
  for (std::size_t line = 0; text.size() < size; ++line) text += "line " + std::to_string(line) + " of many\r\n";
  text.resize(size);
  return text;
}

std::string sha256_of(const std::string& text) {
  return to_hex(crypto::sha256(as_bytes(text)));
}

class FilesEndToEnd : public ::testing::Test {
 protected:
  FilesEndToEnd() {
    std::array<char, 64> name{"/tmp/outpost-files-e2e-XXXXXX"};
    folder = ::mkdtemp(name.data());
    client.handshake();
  }
  ~FilesEndToEnd() override { fs::remove_all(folder); }

  wire::PathUri uri(const std::string& name) const { return {wire::uri_from_path(folder + "/" + name)}; }
  template <class T, class Params>
  T call(std::string_view method, const Params& params) {
    auto result = client.call<T>(method, params);
    EXPECT_TRUE(result) << method << ": " << (result ? "" : result.error().message);
    return result ? *std::move(result) : T{};
  }
  void open(const std::string& id, const std::string& name, wire::OpenMode mode, std::optional<bool> atomic = {}) {
    wire::OpenParams params;
    params.handle_id = id;
    params.path = uri(name);
    params.mode = mode;
    params.outpost.given = atomic.has_value();
    params.outpost.members.atomic = atomic;
    call<wire::OpenResult>("fs/open", params);
  }
  void close(const std::string& id) {
    wire::CloseParams params;
    params.handle_id = id;
    call<wire::EmptyObject>("fs/close", params);
  }
  void write_blocks(const std::string& id, const std::string& text) {
    std::vector<std::int64_t> requests;
    for (std::size_t at = 0; at < text.size(); at += limits::file_block_bytes_max) {
      wire::WriteBlockParams params;
      params.handle_id = id;
      params.offset = at;
      params.chunk.bytes = Bytes::copy_of(as_bytes(std::string_view(text).substr(at, limits::file_block_bytes_max)));
      requests.push_back(client.request("fs/writeBlock", params));
    }
    for (const std::int64_t request : requests) {
      EXPECT_EQ(client.answer(request), R"({"id":)" + std::to_string(request) + R"(,"result":{}})");
    }
  }
  std::string digest(const std::string& name) {
    wire::DigestParams params;
    params.path = uri(name);
    return call<wire::DigestResult>("outpost/fs/digest", params).sha256;
  }

  testing::TestServer server;
  testing::TestClient client{server.port()};
  std::string folder;
};

TEST_F(FilesEndToEnd, BytesAreExactOnEveryWayIntoAFile) {
  const std::string text = windows_lines();
  const std::string expected = sha256_of(text);
  for (const bool atomic : {false, true}) {
    wire::WriteFileParams params;
    params.path = uri("whole");
    params.data_base64.bytes = Bytes::copy_of(as_bytes(text));
    params.outpost.given = true;
    params.outpost.members.atomic = atomic;
    call<wire::EmptyObject>("fs/writeFile", params);
    EXPECT_EQ(digest("whole"), expected) << "whole, atomic " << atomic;
    open("h", "blocks", wire::OpenMode::replace, atomic);
    write_blocks("h", text);
    close("h");
    EXPECT_EQ(digest("blocks"), expected) << "blocks, atomic " << atomic;
  }
  open("u", "updated", wire::OpenMode::update);
  write_blocks("u", text);
  close("u");
  EXPECT_EQ(digest("updated"), expected);
  wire::CopyParams copy;
  copy.source_path = uri("whole");
  copy.destination_path = uri("copied");
  call<wire::EmptyObject>("fs/copy", copy);
  EXPECT_EQ(digest("copied"), expected);
  wire::RenameParams rename;
  rename.source_path = uri("copied");
  rename.destination_path = uri("renamed");
  call<wire::EmptyObject>("outpost/fs/rename", rename);
  EXPECT_EQ(digest("renamed"), expected);
}

TEST_F(FilesEndToEnd, AFileOfTenGigabytesIsReadInBlocks) {
  constexpr std::uint64_t size = 10'000'000'000;
  const std::string end = "the end";
  std::ofstream(folder + "/sparse").close();
  ASSERT_EQ(::truncate((folder + "/sparse").c_str(), static_cast<off_t>(size)), 0);
  std::fstream file(folder + "/sparse", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size - end.size()));
  file << end;
  file.close();
  open("h", "sparse", wire::OpenMode::read);
  for (const std::uint64_t offset : {std::uint64_t{0}, size / 2, size - limits::file_block_bytes_max}) {
    wire::ReadBlockParams params{
        .handle_id = "h", .offset = offset, .len = limits::file_block_bytes_max, .outpost = {}};
    const std::int64_t id = client.request("fs/readBlock", params);
    const std::string answer = client.answer(id);
    EXPECT_TRUE(answer.ends_with(R"(","eof":false}})")) << offset;
    EXPECT_GT(answer.size(), limits::file_block_bytes_max * 4 / 3);
  }
  const std::string last = client.answer(client.request(
      "fs/readBlock", wire::ReadBlockParams{.handle_id = "h", .offset = size - end.size(), .len = 100, .outpost = {}}));
  EXPECT_TRUE(last.ends_with(R"("result":{"chunk":"dGhlIGVuZA==","eof":true}})")) << last;
  close("h");
}

TEST_F(FilesEndToEnd, WalksHoldNoOutputUp) {
  constexpr int files = 20'000, folders = 20, walks = 50;
  for (int i = 0; i < files; ++i) {
    const std::string parent = folder + "/" + std::to_string(i % folders);
    if (i < folders) fs::create_directory(parent);
    std::ofstream(parent + "/" + std::to_string(i)).close();
  }
  wire::WalkParams params;
  params.path = {wire::uri_from_path(folder)};
  params.options = {.max_depth = 4,
                    .max_directories = 100,
                    .max_entries = 50000,
                    .follow_directory_symlinks = false,
                    .prune_hidden_directories = {}};
  client.start("p", {"/bin/cat"}, {.pipe_stdin = true});
  std::vector<std::int64_t> requests;
  for (int i = 0; i < walks; ++i) requests.push_back(client.request("fs/walk", params));
  // What is said behind the walks is heard while they wait for their threads: the last of them isn't answered yet.
  EXPECT_EQ(client.write("p", "tick\n", "1"), wire::WriteStatus::accepted);
  client.wait_until([&] { return client.followed("p").out == "tick\n"; });
  EXPECT_FALSE(client.answered(requests.back()));
  for (const std::int64_t request : requests) {
    const std::string answer = client.answer(request);
    EXPECT_TRUE(answer.ends_with(R"("errors":[],"truncated":false}})")) << answer.substr(0, 200);
  }
}

TEST_F(FilesEndToEnd, AScriptThatWasWrittenBeforeIsThereWhenItsProcessStarts) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "script" + std::to_string(i), id = "p" + std::to_string(i);
    wire::WriteFileParams params;
    params.path = uri(name);
    params.data_base64.bytes = Bytes::copy_of(as_bytes("exit 7\n" + std::string(2 * limits::mib, '#')));
    const std::int64_t written = client.request("fs/writeFile", params);
    client.start(id, {"/bin/sh", folder + "/" + name});
    EXPECT_TRUE(client.answered(written));
    EXPECT_EQ(client.wait_closed(id).exit_code, 7);
  }
}

}  // namespace
}  // namespace outpost
