#include "os/descriptor_limit.h"

namespace outpost::os {
namespace {

struct Original {
  rlimit limit{};
  bool raised = false;
};

Original& original() {
  static Original one;
  return one;
}

}  // namespace

void raise_descriptor_limit() {
  Original& before = original();
  if (before.raised || ::getrlimit(RLIMIT_NOFILE, &before.limit) != 0) return;
  rlimit wanted = before.limit;
  wanted.rlim_cur = wanted.rlim_max;
  before.raised = ::setrlimit(RLIMIT_NOFILE, &wanted) == 0;
}

const rlimit* original_descriptor_limit() {
  return original().raised ? &original().limit : nullptr;
}

}  // namespace outpost::os
