#include "local/files/walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/limits/file_reads.h"
#include "local/files/file_error.h"
#include "os/file_status.h"
#include "os/files.h"
#include "os/folder_reader.h"
#include "wire/path_uri.h"

namespace outpost::local {

namespace {

using Kind = os::FolderReader::Kind;

Result<> check(const wire::WalkOptions& options) {
  if (options.max_directories == 0 || options.max_entries == 0) {
    return fail(ErrorKind::invalid_input, "filesystem walk limits must be greater than zero");
  }
  if (options.max_depth > limits::walk_depth_max || options.max_directories > limits::walk_directories_max ||
      options.max_entries > limits::walk_entries_max) {
    return fail(ErrorKind::invalid_input,
                "filesystem walk limits exceed maximums: depth=64, directories=10000, entries=50000");
  }
  return {};
}
static_assert(limits::walk_depth_max == 64 && limits::walk_directories_max == 10000 &&
              limits::walk_entries_max == 50000);

struct Name {
  std::string text;
  Kind kind = Kind::unknown;
};

/// The first names of a folder in order of their bytes, at most `most` of them.
class FirstNames {
 public:
  explicit FirstNames(std::size_t most) : most_(most) {}
  void add(const os::FolderReader::Entry& entry) {
    names_.push_back({entry.name, entry.kind});
    if (names_.size() >= 2 * most_) cut();
  }
  std::vector<Name> take() {
    if (names_.size() > most_) cut();
    std::ranges::sort(names_, {}, &Name::text);
    return std::move(names_);
  }

 private:
  void cut() {
    std::ranges::nth_element(names_, names_.begin() + static_cast<std::ptrdiff_t>(most_), {}, &Name::text);
    names_.resize(most_);
  }
  std::size_t most_;
  std::vector<Name> names_;
};

/// URIs of the entries of one folder: its own is made once.
class UrisIn {
 public:
  explicit UrisIn(const std::string& folder)
      : folder_(folder == "/" ? "" : folder), prefix_(wire::uri_from_path(folder)) {
    // A path that looks like a drive has an opaque form, and so have those below it.
    plain_ = !folder_.empty() && !prefix_.starts_with("file:///%00/");
    if (plain_) prefix_ += '/';
  }
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
  std::string of(const std::string& name) const {
    constexpr std::string_view stem = "file:///x/";
    if (!plain_) return wire::uri_from_path(path_of(name));
    return prefix_ + wire::uri_from_path("/x/" + name).substr(stem.size());
  }

 private:
  std::string folder_, prefix_;
  bool plain_;
};

class Walk {
 public:
  Walk(const wire::WalkOptions& options, const std::stop_token& stop) : options_(options), stop_(stop) {}

  Result<wire::WalkResult> from(const std::string& path) {
    folders_.push_back({path, 0});
    for (bool first = true; !folders_.empty() && !ended_; first = false) {
      const Folder folder = std::move(folders_.front());
      folders_.pop_front();
      const auto opened = os::open_at(AT_FDCWD, folder.path.c_str(), flags());
      if (!opened && first) {
        if (opened.error() == ENOENT) return fail(file_error(ENOENT));
        if (opened.error() == ENOTDIR || opened.error() == ELOOP) break;
      }
      if (opened && first && options_.follow_directory_symlinks) note(opened->get());
      if (const int error = opened ? list(*opened, folder) : opened.error()) add_error(folder.path, error);
      if (stop_.stop_requested()) return fail(request_cancelled());
    }
    return std::move(result_);
  }

 private:
  struct Folder {
    std::string path;
    std::uint64_t depth;
  };

  int flags() const {
    return O_RDONLY | O_DIRECTORY | O_NONBLOCK | (options_.follow_directory_symlinks ? 0 : O_NOFOLLOW);
  }
  /// Ends the walk where the answer would grow beyond its bound.
  bool fits(std::size_t text_bytes) {
    bytes_ += text_bytes + limits::walk_item_bytes;
    if (bytes_ > limits::walk_answer_bytes_max) result_.truncated = ended_ = true;
    return !ended_;
  }
  void add_error(const std::string& path, int error) {
    std::string uri = wire::uri_from_path(path);
    std::string message = os_error_text(error);
    if (fits(uri.size() + message.size())) result_.errors.push_back({{std::move(uri)}, std::move(message)});
  }
  /// Whether the folder wasn't met before; only where links are followed are there two ways to one.
  bool note(int folder) {
    const auto status = os::status_of(folder);
    return !status || note(*status);
  }
  bool note(const struct statx& status) {
    const os::FileIdentity identity = os::identity_of(status);
    return seen_.emplace(identity.device, identity.inode).second;
  }

  /// 0, or the errno that kept it from listing all.
  int list(const os::FileDescriptor& opened, const Folder& folder) {
    os::FolderReader reader(opened.get());
    FirstNames names(options_.max_entries - examined_ + 1);
    int error = 0;
    for (;;) {
      const auto entry = reader.next();
      if (!entry) error = entry.error();
      if (!entry || !*entry || stop_.stop_requested()) break;
      names.add(**entry);
    }
    const UrisIn uris(folder.path);
    for (const Name& name : names.take()) {
      if (examined_++ == options_.max_entries) {
        result_.truncated = ended_ = true;
        break;
      }
      take(opened.get(), folder, name, uris);
      if (ended_) break;
    }
    return error;
  }

  void take(int opened, const Folder& folder, const Name& name, const UrisIn& uris) {
    std::optional<struct statx> status;
    Kind kind = name.kind;
    if (kind == Kind::unknown || (kind == Kind::folder && options_.follow_directory_symlinks)) {
      const auto found = os::status_at(opened, name.text.c_str());
      if (!found) return;
      status = *found;
      kind = S_ISLNK(found->stx_mode)   ? Kind::link
             : S_ISDIR(found->stx_mode) ? Kind::folder
             : S_ISREG(found->stx_mode) ? Kind::file
                                        : Kind::fifo;
    }
    if (kind == Kind::link) {
      if (!options_.follow_directory_symlinks) return;
      const auto found = os::target_status_at(opened, name.text.c_str());
      if (!found || !S_ISDIR(found->stx_mode)) return;
      status = *found;
      kind = Kind::folder;
    }
    if (kind != Kind::folder && kind != Kind::file) return;
    std::string uri = uris.of(name.text);
    if (!fits(uri.size())) return;
    const bool is_folder = kind == Kind::folder;
    result_.entries.push_back({{std::move(uri)}, is_folder ? wire::WalkKind::directory : wire::WalkKind::file});
    if (is_folder) enter_later(folder, name, status, uris);
  }

  void enter_later(const Folder& folder, const Name& name, const std::optional<struct statx>& status,
                   const UrisIn& uris) {
    if (folder.depth >= options_.max_depth) return;
    if (options_.prune_hidden_directories && name.text.starts_with('.')) return;
    if (status && options_.follow_directory_symlinks && !note(*status)) return;
    if (directories_ == options_.max_directories) {
      result_.truncated = true;
      return;
    }
    ++directories_;
    folders_.push_back({uris.path_of(name.text), folder.depth + 1});
  }

  const wire::WalkOptions& options_;
  const std::stop_token& stop_;
  std::deque<Folder> folders_;  // to be opened
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
  std::uint64_t directories_ = 1, examined_ = 0;
  std::size_t bytes_ = 0;
  bool ended_ = false;
  wire::WalkResult result_;
};

}  // namespace

Result<wire::WalkResult> walk(const std::string& path, const wire::WalkOptions& options, const std::stop_token& stop) {
  OUTPOST_CHECK_OK(check(options));
  return Walk(options, stop).from(path);
}

}  // namespace outpost::local
