#include "base/watch.h"

#include <utility>

namespace outpost {

Watch::Watch(Loop& loop, Callback on_readable, Callback on_writable)
    : descriptor_(loop.context()), state_(std::make_shared<State>()) {
  state_->on_readable = std::move(on_readable);
  state_->on_writable = std::move(on_writable);
}

Watch::Watch(Loop& loop, int fd, Callback on_readable, Callback on_writable)
    : Watch(loop, std::move(on_readable), std::move(on_writable)) {
  descriptor_.assign(fd);
}

Result<std::unique_ptr<Watch>> Watch::create(Loop& loop, int fd, Callback on_readable, Callback on_writable) {
  std::unique_ptr<Watch> watch(new Watch(loop, std::move(on_readable), std::move(on_writable)));
  boost::system::error_code error;
  watch->descriptor_.assign(fd, error);
  if (error) return fail(ErrorKind::io, os_error_text(error.value()));
  return watch;
}

Watch::~Watch() {
  state_->alive = false;
  descriptor_.release();
}

void Watch::wait_readable() {
  if (std::exchange(state_->reading, true)) return;
  descriptor_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                         [state = state_](const boost::system::error_code&) {
                           if (!state->alive) return;
                           state->reading = false;
                           state->on_readable();
                         });
}

void Watch::wait_writable() {
  if (std::exchange(state_->writing, true)) return;
  descriptor_.async_wait(boost::asio::posix::descriptor_base::wait_write,
                         [state = state_](const boost::system::error_code&) {
                           if (!state->alive) return;
                           state->writing = false;
                           state->on_writable();
                         });
}

}  // namespace outpost
