#pragma once

#include <sys/types.h>

#include <cstdint>

namespace outpost::os {

/// A number that a program and all its descendants carry, over fork, exec, setsid and the death of their parents. Two
/// places survive all that and can be read from outside: the timer slack (harmless, invisible; but reading another's
/// needs CAP_SYS_NICE), and a soft RLIMIT_RTTIME far beyond any use (readable among processes of one user).
enum class TagPlace : std::uint8_t { timer_slack, time_limit };

/// What a tag is added to: the kernel's default slack in ns; more years of processor time than anything needs, in us.
constexpr std::uint64_t tag_base(TagPlace place) {
  return place == TagPlace::timer_slack ? 50'000 : std::uint64_t{1} << 60;
}

/// Where this process puts tags: the first place if it may read it there. Fixed for the life of the process.
TagPlace tag_place();

/// Tags the calling process; 0 does nothing. Async-signal-safe. Best effort: a lower hard limit leaves it untagged.
void carry_orphan_tag(TagPlace place, std::uint32_t tag);
/// The tag of another process; 0 if it has none or it can't be read.
std::uint32_t orphan_tag_of(pid_t pid);
/// Whether a tag that is put can be read here. Tags the calling thread for a moment: call it from the first thread,
/// before there are others.
bool orphan_tags_work();

}  // namespace outpost::os
