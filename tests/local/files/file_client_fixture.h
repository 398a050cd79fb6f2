#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/run_until.h"
#include "local/files/files_fixture.h"
#include "local/files/local_file_system.h"
#include "wire/path_uri.h"

namespace outpost::local::testing {

using capability::FileAnswer;
using capability::FileRequest;

/// A client of the files of this machine, and a folder.
class LocalFileClientTest : public FilesTest {
 protected:
  LocalFileClientTest() { connect(); }
  void connect() {
    client_ = files_.connect([this](std::uint64_t watch_id) { changed_.push_back(watch_id); });
  }
  wire::PathUri uri(const std::string& name) const { return {wire::uri_from_path(path(name))}; }
  Result<FileAnswer> ask(FileRequest request) {
    std::optional<Result<FileAnswer>> answer;
    client_->call(std::move(request), stop_.get_token(), [&](Result<FileAnswer> given) { answer = std::move(given); });
    EXPECT_TRUE(::outpost::testing::run_until(loop_, [&] { return answer.has_value(); }));
    return answer ? *std::move(answer) : fail(ErrorKind::internal, "no answer");
  }
  template <class T>
  T get_answer(FileRequest request) {
    auto answer = ask(std::move(request));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? std::get<T>(*std::move(answer)) : T{};
  }
  static std::string text_of(const Bytes& bytes) { return std::string(as_text(bytes.view())); }

  Result<FileAnswer> open(const std::string& id, const std::string& name, wire::OpenMode mode = wire::OpenMode::read,
                          wire::WriteExtension extension = {}, bool given = false) {
    wire::OpenParams params;
    params.handle_id = id;
    params.path = uri(name);
    params.mode = mode;
    params.outpost = {.given = given, .members = extension};
    return ask(std::move(params));
  }
  Result<FileAnswer> read(const std::string& id, std::uint64_t offset, std::uint64_t bytes) {
    return ask(wire::ReadBlockParams{.handle_id = id, .offset = offset, .len = bytes, .outpost = {}});
  }
  Result<FileAnswer> write(const std::string& id, std::uint64_t offset, std::string_view text) {
    wire::WriteBlockParams params;
    params.handle_id = id;
    params.offset = offset;
    params.chunk.bytes = Bytes::copy_of(as_bytes(text));
    return ask(std::move(params));
  }
  Result<FileAnswer> close(const std::string& id, std::optional<bool> discard = {}) {
    wire::CloseParams params;
    params.handle_id = id;
    params.outpost.members.discard = discard;
    return ask(std::move(params));
  }
  std::string block(const std::string& id, std::uint64_t offset, std::uint64_t bytes, bool eof) {
    auto answer = read(id, offset, bytes);
    if (!answer) return answer.error().message;
    auto found = std::get<capability::FileBlock>(*std::move(answer));
    EXPECT_EQ(found.eof, eof) << offset;
    return text_of(found.bytes);
  }

  Loop loop_;
  WorkerPool pool_{4};
  LocalFileSystem files_{loop_, pool_};
  std::vector<std::uint64_t> changed_;
  std::unique_ptr<capability::FileClient> client_;
};

}  // namespace outpost::local::testing
