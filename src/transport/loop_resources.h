#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/limits/connections.h"
#include "base/loop.h"
#include "transport/out_buffer.h"

namespace outpost::transport {

/// What the connections of one loop share, so that an idle one holds no memory of its own.
struct LoopResources {
  explicit LoopResources(Loop& the_loop) : loop(the_loop) {}

  Loop& loop;
  SpareBuffers spares;

  /// Memory for one read of a socket, free again when the handler returns to the loop.
  MutableBytes receive_buffer() {
    if (!receive_) receive_ = std::make_unique_for_overwrite<std::byte[]>(limits::receive_bytes);
    return {receive_.get(), limits::receive_bytes};
  }

 private:
  std::unique_ptr<std::byte[]> receive_;
};

}  // namespace outpost::transport
