#include "apps/outpost/doctor.h"

#include <cstdio>

#include "base/result.h"
#include "base/uuid.h"

namespace outpost::apps {

namespace {

std::string line(bool good, const std::string& what, const std::string& text) {
  return (good ? "ok       " : "missing  ") + what + ": " + text;
}

std::string containment_line(const MachineFindings& findings) {
  const std::string level(local::name_of(findings.containment));
  switch (findings.containment) {
    case local::ContainmentLevel::cgroup:
      return line(true, "containment", level + ": the end of a process is the end of all it ever started");
    case local::ContainmentLevel::subreaper:
      return line(true, "containment",
                  level + ": descendants are found by a tag that they inherit (" + findings.containment_reason + ")");
    case local::ContainmentLevel::group:
      break;
  }
  return line(false, "containment",
              level + ": what leaves the group of a process lives until the server ends (" +
                  findings.containment_reason + "); delegate a cgroup v2 to the server, or mount /proc");
}

}  // namespace

std::vector<std::string> doctor_lines(const MachineFindings& findings) {
  std::vector<std::string> lines;
  lines.push_back(line(true, "kernel", findings.kernel));
  lines.push_back(findings.pidfd_error == 0
                      ? line(true, "pidfd", "processes are held by descriptors")
                      : line(false, "pidfd", os_error_text(findings.pidfd_error) + "; Linux 5.3 or newer is needed"));
  lines.push_back(containment_line(findings));
  lines.push_back(
      findings.user_namespace_error == 0
          ? line(true, "user namespaces", "allowed")
          : line(false, "user namespaces",
                 os_error_text(findings.user_namespace_error) +
                     "; look at sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces and "
                     "kernel.apparmor_restrict_unprivileged_userns, or at the container's seccomp profile"));
  lines.push_back(!findings.bubblewrap.empty()
                      ? line(true, "bubblewrap", findings.bubblewrap)
                      : line(false, "bubblewrap", "no bwrap in PATH; apt-get install bubblewrap"));
  lines.push_back(findings.landlock.abi > 0
                      ? line(true, "Landlock", "ABI " + std::to_string(findings.landlock.abi))
                      : line(false, "Landlock",
                             os_error_text(findings.landlock.error) +
                                 "; a kernel of 5.13 or newer with landlock in its lsm= list is needed"));
  return lines;
}

int doctor() {
  MachineFindings findings;
  findings.kernel = os::kernel_release();
  findings.pidfd_error = os::pidfd_error();
  findings.user_namespace_error = os::user_namespace_error();
  findings.bubblewrap = os::find_program("bwrap").value_or("");
  findings.landlock = os::landlock();
  const local::Containment containment(
      {.best = local::ContainmentLevel::cgroup, .cgroup_name = "outpost-doctor-" + random_uuid_v4()});
  findings.containment = containment.level();
  findings.containment_reason = containment.reason();
  for (const std::string& text : doctor_lines(findings)) std::printf("%s\n", text.c_str());
  return 0;
}

}  // namespace outpost::apps
