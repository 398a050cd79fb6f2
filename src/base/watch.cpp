#include "base/watch.h"

#include <sys/epoll.h>

#include <stdexcept>
#include <utility>

namespace outpost {

/// What epoll knows of a watch. The system goes on watching for what was waited for last, so that a handler that waits
/// again, as most do, costs no system call; an event that nobody waits for ends that.
class Watch::Target final : public PollTarget {
 public:
  Target(Loop& loop, int fd, Callback on_readable, Callback on_writable)
      : loop_(loop), fd_(fd), on_readable_(std::move(on_readable)), on_writable_(std::move(on_writable)) {}

  Result<> add() {
    // A reader waits for its first byte at once, as a rule.
    watched_ = on_readable_ ? EPOLLIN : nothing;
    return loop_.poller_.add(fd_, watched_, *this);
  }
  void wait(std::uint32_t event) {
    if ((waited_ & event) != 0) return;
    waited_ |= event;
    watch((watched_ & ~nothing) | waited_);
  }
  void on_events(std::uint32_t events) override {
    const bool ended = (events & (EPOLLHUP | EPOLLERR)) != 0;
    if (ended || (events & EPOLLIN) != 0) tell(EPOLLIN, on_readable_);
    if (ended || (events & EPOLLOUT) != 0) tell(EPOLLOUT, on_writable_);
    if (dead_) return;
    if (ended && waited_ == 0) {
      watch(nothing);
    } else if (const std::uint32_t unwanted = events & watched_ & (EPOLLIN | EPOLLOUT) & ~waited_; unwanted != 0) {
      watch(watched_ & ~unwanted);
    }
  }
  static void end(std::unique_ptr<Target> target) {
    target->dead_ = true;
    Loop& loop = target->loop_;
    loop.poller_.remove(target->fd_);
    loop.retire(std::move(target));
  }

 private:
  // The end of the other side is always told; edge-triggered it is told once.
  static constexpr std::uint32_t nothing = EPOLLET;

  void watch(std::uint32_t events) {
    if (events == 0) events = nothing;
    if (events == watched_) return;
    watched_ = events;
    loop_.poller_.modify(fd_, events, *this);
  }
  void tell(std::uint32_t event, const Callback& callback) {
    if (dead_ || (waited_ & event) == 0) return;
    waited_ &= ~event;
    callback();
  }

  Loop& loop_;
  int fd_;
  Callback on_readable_, on_writable_;
  std::uint32_t watched_ = 0;  // by the system
  std::uint32_t waited_ = 0;   // by us
  bool dead_ = false;
};

Watch::Watch(std::unique_ptr<Target> target) : target_(std::move(target)) {}

Watch::Watch(Loop& loop, int fd, Callback on_readable, Callback on_writable) {
  auto target = std::make_unique<Target>(loop, fd, std::move(on_readable), std::move(on_writable));
  if (const auto added = target->add(); !added) throw std::runtime_error(added.error().message);
  target_ = std::move(target);
}

Result<std::unique_ptr<Watch>> Watch::create(Loop& loop, int fd, Callback on_readable, Callback on_writable) {
  auto target = std::make_unique<Target>(loop, fd, std::move(on_readable), std::move(on_writable));
  OUTPOST_CHECK_OK(target->add());
  return std::unique_ptr<Watch>(new Watch(std::move(target)));
}

Watch::~Watch() {
  Target::end(std::move(target_));
}

void Watch::wait_readable() {
  target_->wait(EPOLLIN);
}

void Watch::wait_writable() {
  target_->wait(EPOLLOUT);
}

}  // namespace outpost
