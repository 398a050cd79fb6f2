#include "base/watch.h"

#include <utility>

namespace outpost {

Watch::Watch(Loop& loop, int fd, Callback on_readable, Callback on_writable)
    : descriptor_(loop.context(), fd), state_(std::make_shared<State>()) {
  state_->on_readable = std::move(on_readable);
  state_->on_writable = std::move(on_writable);
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
