#pragma once

#include <string>
#include <vector>

#include "apps/outpost/listen_url.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/unix_socket.h"

namespace outpost::apps {

/// A socket that listens.
struct OpenListener {
  os::FileDescriptor socket;
  std::string url;  ///< what is printed and can be connected to
  bool tls = false;
  bool is_unix = false;
  os::UnixSocketFile file = {};  ///< of a unix socket that is ours
};

/// What listeners may be opened.
struct ListenRules {
  bool anyone_may_reach_it = false;  ///< credentials are asked for, or the user wants none
  bool tls = false;                  ///< there is a certificate
};

/// Parses all `--listen` values. `stdio` stands alone.
Result<std::vector<ListenAddress>> parse_listen_urls(const std::vector<std::string>& urls);

/// Opens all of `addresses`, none of which is stdio, in their order; `passed` are the sockets of the service manager,
/// for `fd://`. A socket of theirs that speaks TCP speaks TLS if there is a certificate. Fails with
/// `ErrorKind::invalid_input` and the texts of processes-and-sessions 12; what was opened is closed then.
Result<std::vector<OpenListener>> open_listeners(const std::vector<ListenAddress>& addresses, ListenRules rules,
                                                 std::vector<os::FileDescriptor> passed);

}  // namespace outpost::apps
