#pragma once

#include <chrono>
#include <memory>

#include "base/result.h"
#include "os/fd.h"

namespace outpost::apps {

/// Joins a descriptor to read and one to write, as stdin and stdout, into one socket that a loop can work on. Two
/// threads carry the bytes: the mode of such descriptors isn't ours to change, they may be files, and a read or write
/// may wait for ever. Nothing is kept but what is in the buffers of the kernel and one read of each thread.
class StdioBridge {
 public:
  /// The descriptors must stay open for the life of the program.
  static Result<std::unique_ptr<StdioBridge>> start(int input_fd, int output_fd);

  /// The socket, once: its end of reading is the end of the input, and its death lets the threads go.
  os::FileDescriptor take_socket() { return std::move(socket_); }
  /// Waits until all that was sent has been written; the socket must be closed or shut down. At most `most`.
  void wait_written(std::chrono::milliseconds most);

 private:
  struct Shared;
  static void carry_input(const std::shared_ptr<Shared>& shared, int input_fd);
  static void carry_output(const std::shared_ptr<Shared>& shared, int output_fd);

  os::FileDescriptor socket_;
  std::shared_ptr<Shared> shared_;  // shared with the threads, which may sit in a system call for ever
};

}  // namespace outpost::apps
