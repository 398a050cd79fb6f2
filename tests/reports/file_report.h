#pragma once

#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "report.h"
#include "wire/path_uri.h"
#include "wire/protocol/files.h"

namespace outpost {

/// A server, a client, and a folder of the test's own.
class FileReport : public Report {
 protected:
  FileReport() {
    std::array<char, 64> name{"/tmp/outpost-file-report-XXXXXX"};
    folder = ::mkdtemp(name.data());
  }
  ~FileReport() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return folder + "/" + name; }
  wire::PathUri uri(const std::string& name) const { return {wire::uri_from_path(path(name))}; }
  std::string contents(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  wire::WriteFileParams write_params(const std::string& name, std::string_view text,
                                     std::optional<bool> atomic = {}) const {
    wire::WriteFileParams params;
    params.path = uri(name);
    params.data_base64.bytes = Bytes::copy_of(as_bytes(text));
    params.outpost = {.given = atomic.has_value(), .members = {}};
    params.outpost.members.atomic = atomic;
    return params;
  }
  Result<> write_file(const std::string& name, std::string_view text, std::optional<bool> atomic = {}) {
    auto done = client.call<wire::EmptyObject>("fs/writeFile", write_params(name, text, atomic));
    if (!done) return fail(std::move(done).error());
    return {};
  }
  std::string read_file(const wire::PathUri& from) {
    wire::ReadFileParams params;
    params.path = from;
    return client.answer(client.request("fs/readFile", params));
  }

  std::string folder;
};

}  // namespace outpost
