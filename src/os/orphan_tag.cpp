#include "os/orphan_tag.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "base/limits/system.h"
#include "os/fd.h"

namespace outpost::os {
namespace {

bool may_read_timer_slack() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  if ((data[CAP_TO_INDEX(CAP_SYS_NICE)].effective & CAP_TO_MASK(CAP_SYS_NICE)) == 0) return false;
  return ::access("/proc/self/timerslack_ns", R_OK) == 0;
}

std::uint64_t read_timer_slack(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/timerslack_ns";
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return 0;
  char text[32];
  const ssize_t size = ::read(file.get(), text, sizeof text);
  std::uint64_t slack_ns = 0;
  if (size > 0) std::from_chars(text, text + size, slack_ns);
  return slack_ns;
}

std::uint64_t read_time_limit(pid_t pid) {
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_RTTIME, nullptr, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur;
}

}  // namespace

TagPlace tag_place() {
  static const TagPlace place = may_read_timer_slack() ? TagPlace::timer_slack : TagPlace::time_limit;
  return place;
}

bool orphan_tags_work() {
  constexpr std::uint32_t sample = 7;
  const TagPlace place = tag_place();
  rlimit before{};
  ::getrlimit(RLIMIT_RTTIME, &before);
  carry_orphan_tag(place, sample);
  const bool works = orphan_tag_of(::getpid()) == sample;
  if (place == TagPlace::timer_slack)
    ::prctl(PR_SET_TIMERSLACK, 0);  // back to what the thread began with
  else
    ::setrlimit(RLIMIT_RTTIME, &before);
  return works;
}

std::uint32_t orphan_tag_of(pid_t pid) {
  const TagPlace place = tag_place();
  const std::uint64_t value = place == TagPlace::timer_slack ? read_timer_slack(pid) : read_time_limit(pid);
  if (value <= tag_base(place) || value > tag_base(place) + limits::orphan_tag_max) return 0;
  return static_cast<std::uint32_t>(value - tag_base(place));
}

}  // namespace outpost::os
