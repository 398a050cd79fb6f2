#include "base/poller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

namespace outpost {

namespace {

[[noreturn]] void throw_last_error(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

timespec to_timespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

Poller::Poller() {
  try {
    if (epoll_fd_ = ::epoll_create1(EPOLL_CLOEXEC); epoll_fd_ < 0) throw_last_error("epoll_create1");
    if (wake_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); wake_fd_ < 0) throw_last_error("eventfd");
    timer_fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer_fd_ < 0) throw_last_error("timerfd_create");
    watch_own(wake_fd_, &wake_fd_);
    watch_own(timer_fd_, &timer_fd_);
  } catch (const std::system_error&) {
    close_all();
    throw;
  }
}

Poller::~Poller() {
  close_all();
}

void Poller::close_all() {
  for (const int fd : {timer_fd_, wake_fd_, epoll_fd_}) {
    if (fd >= 0) ::close(fd);
  }
}

void Poller::watch_own(int fd, int* mark) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = mark;
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0) throw_last_error("epoll_ctl");
}

Result<> Poller::add(int fd, std::uint32_t events, PollTarget& target) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &target;
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return fail(ErrorKind::io, os_error_text(errno));
}

void Poller::modify(int fd, std::uint32_t events, PollTarget& target) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &target;
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event);
}

void Poller::remove(int fd) {
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
}

int Poller::wait(std::span<epoll_event> events, std::optional<std::chrono::nanoseconds> timeout) {
  const int room = static_cast<int>(events.size());
  if (!timeout || *timeout <= std::chrono::nanoseconds(0)) {
    return ::epoll_wait(epoll_fd_, events.data(), room, timeout ? 0 : -1);
  }
  if (has_fine_wait_) {
    const timespec time = to_timespec(*timeout);
    const int count = ::epoll_pwait2(epoll_fd_, events.data(), room, &time, nullptr);
    // An older kernel doesn't know it, and an older sandbox refuses it.
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
    has_fine_wait_ = false;
  }
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(*timeout).count();
  const auto most = std::min<std::chrono::milliseconds::rep>(milliseconds, std::numeric_limits<int>::max());
  return ::epoll_wait(epoll_fd_, events.data(), room, static_cast<int>(most));
}

std::size_t Poller::poll_until(MonotonicTime deadline) {
  if (deadline >= armed_) return take(std::nullopt);  // the timer rings early enough
  const auto left = deadline - std::chrono::steady_clock::now();
  if (left <= limits::fine_wait_max) return take(left);
  arm(deadline);
  return take(std::nullopt);
}

void Poller::arm(MonotonicTime deadline) {
  const itimerspec time{.it_interval = {}, .it_value = to_timespec(deadline.time_since_epoch())};
  ::timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &time, nullptr);
  armed_ = deadline;
}

std::size_t Poller::take(std::optional<std::chrono::nanoseconds> timeout) {
  std::array<epoll_event, limits::events_per_turn_max> events;
  const int count = wait(events, timeout);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.ptr == &wake_fd_ || event.data.ptr == &timer_fd_) {
      on_own_event(static_cast<const int*>(event.data.ptr));
    } else {
      static_cast<PollTarget*>(event.data.ptr)->on_events(event.events);
    }
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

void Poller::on_own_event(const int* mark) {
  std::uint64_t times = 0;
  [[maybe_unused]] const auto size = ::read(*mark, &times, sizeof(times));
  if (mark == &timer_fd_) armed_ = MonotonicTime::max();
}

void Poller::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = ::write(wake_fd_, &one, sizeof(one));
}

}  // namespace outpost
