#pragma once

#include <functional>
#include <memory>

#include "base/loop.h"
#include "base/result.h"

namespace outpost {

/// Tells when a descriptor can be read or written. Borrows the descriptor, which must stay open for as long as the
/// watch lives. Belongs to its loop. Each wait reports once; after its end, or the end of the watch, nothing is called.
class Watch {
 public:
  using Callback = std::function<void()>;

  /// The callbacks stay for the life of the watch; a wait only arms them. Throws if the system has no room for one more
  /// watch: for those without which the program can't go on.
  Watch(Loop& loop, int fd, Callback on_readable, Callback on_writable = {});
  /// As the constructor, but that failure is an error: for one connection or pipe among many.
  static Result<std::unique_ptr<Watch>> create(Loop& loop, int fd, Callback on_readable, Callback on_writable = {});
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// Reports readability (or end, or error) once. A wait that is already under way stays the only one.
  void wait_readable();
  void wait_writable();

 private:
  class Target;
  explicit Watch(std::unique_ptr<Target> target);

  std::unique_ptr<Target> target_;
};

}  // namespace outpost
