#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"
#include "os/fd.h"

namespace outpost::os {

/// What one system call moved. Made for hot paths: no text is built.
struct IoCount {
  enum Status {
    ok,           ///< `bytes` were moved, at least one unless the buffer was empty
    would_block,  ///< nothing now; wait until the descriptor is ready
    end,          ///< end of the stream (a terminal whose other side is gone included), or a peer that takes no more
    failed,       ///< `error` says why
  };
  std::size_t bytes = 0;
  Status status = ok;
  int error = 0;  ///< errno with `failed`, and with `end` of a write (EPIPE, ECONNRESET); else 0
};

/// One `read`. EINTR is retried. EIO is `end`: so a terminal's master tells that the last holder of the other side
/// left.
IoCount read_some(int fd, MutableBytes into);
/// One `write`. EINTR is retried. EPIPE is `end`; SIGPIPE must be ignored (`signals.h`).
IoCount write_some(int fd, ByteView from);
/// One `writev` of up to `gathered_pieces` pieces (more are left for the next). Otherwise as `write_some`.
inline constexpr std::size_t gathered_pieces = 16;
IoCount write_gathered(int fd, std::span<const ByteView> pieces);
/// One `recv` of a socket that never blocks, whatever the mode of the descriptor.
IoCount receive_some(int fd, MutableBytes into);
/// One `send` to a socket that never blocks and never raises SIGPIPE, whatever the mode of the descriptor.
IoCount send_some(int fd, ByteView from);

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};
enum class Blocking { yes, no };
/// A pipe whose ends close on exec; the mode of each end is chosen alone (they are two open files).
Result<Pipe> make_pipe(Blocking read_end, Blocking write_end);

Result<> set_nonblocking(int fd);
/// Bytes that a read would give now (FIONREAD); 0 if it can't be told.
std::size_t pipe_bytes_available(int fd);
/// Asks for a pipe buffer of that size; false if the kernel refuses (the pipe works on as it was).
bool set_pipe_size(int fd, std::size_t bytes);
/// Another descriptor of the same open file, closed on exec.
Result<FileDescriptor> duplicate(int fd);

}  // namespace outpost::os
