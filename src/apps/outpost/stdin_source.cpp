#include "apps/outpost/stdin_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <utility>

#include "os/io.h"

namespace outpost::apps {

namespace {
constexpr std::size_t chunk_bytes = limits::output_chunk_bytes_max;
constexpr std::size_t chunks_ahead = 8;

bool is_pollable() {
  struct stat found{};
  return ::fstat(STDIN_FILENO, &found) == 0 && (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode) || ::isatty(0) == 1);
}
}  // namespace

bool stdin_is_empty() {
  struct stat found{};
  if (::fstat(STDIN_FILENO, &found) != 0) return true;
  return S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3);
}

StdinSource::StdinSource(Loop& loop, client::ClientSession& session, std::string process_id, bool can_close)
    : session_(session),
      process_id_(std::move(process_id)),
      can_close_(can_close),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes)) {
  if (is_pollable()) watch_ = std::make_unique<Watch>(loop, STDIN_FILENO, [this] { read_on(); });
  if (watch_) {
    watch_->wait_readable();
  } else {
    read_on();
  }
}

void StdinSource::read_on() {
  // One read at a time where a read could wait: the watch says that there is something.
  while (!ended_ && in_flight_ < chunks_ahead) {
    const os::IoCount count = os::read_some(STDIN_FILENO, {buffer_.get(), chunk_bytes});
    if (count.status == os::IoCount::ok) {
      take(count.bytes);
    } else if (count.status != os::IoCount::would_block) {
      return at_end();
    }
    if (watch_) return watch_->wait_readable();
  }
}

void StdinSource::take(std::size_t bytes) {
  ++in_flight_;
  session_.write(process_id_, {buffer_.get(), bytes}, [this](Result<wire::WriteResult> result) {
    const bool was_full = in_flight_-- == chunks_ahead;
    if (!result || result->status != wire::WriteStatus::accepted) ended_ = true;  // the command wants no more
    if (was_full && !watch_) read_on();
    if (was_full && watch_) watch_->wait_readable();
  });
}

void StdinSource::at_end() {
  ended_ = true;
  if (can_close_) session_.close_stdin(process_id_, [](Result<wire::WriteResult>) {});
}

}  // namespace outpost::apps
