#pragma once

#include <chrono>
#include <functional>

#include "base/bytes.h"
#include "base/loop.h"
#include "base/result.h"
#include "os/io.h"

namespace outpost::transport {

/// A two-way stream of bytes that never blocks: a socket, or TLS over one. Belongs to its loop.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Sets who is told; before the first wait, and again when the stream changes hands. After an error nothing may be
  /// waited for.
  virtual Result<> bind(std::function<void()> on_readable, std::function<void()> on_writable) = 0;
  virtual os::IoCount read(MutableBytes into) = 0;
  virtual os::IoCount write(ByteView from) = 0;
  /// Calls `on_readable` or `on_writable` once from the loop, when there is something to do or the stream has ended.
  virtual void wait_readable() = 0;
  virtual void wait_writable() = 0;
  /// Takes the stream off its loop; `adopt` puts it on another. Nothing may be waited for in between.
  virtual void leave_loop() = 0;
  virtual void adopt(Loop& loop) = 0;
  /// Bytes that a read would give now; 0 where it can't be told.
  virtual std::size_t unread() const { return 0; }
  /// Bytes written that the other system hasn't acknowledged; 0 where it can't be told.
  virtual std::size_t unacknowledged() const { return 0; }
  /// Ends the stream once what was written is not acknowledged for so long, where the kind of stream can; 0: the
  /// system's own time.
  virtual void limit_silence(std::chrono::milliseconds) {}
  /// Tells the peer that nothing more comes, where the kind of stream can.
  virtual void shut_down() = 0;
};

}  // namespace outpost::transport
