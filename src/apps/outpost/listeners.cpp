#include "apps/outpost/listeners.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "os/file_status.h"
#include "os/service_manager.h"
#include "os/socket.h"

namespace outpost::apps {

namespace {

using Kind = ListenAddress::Kind;

std::unexpected<Error> cannot_listen(const std::string& url, const Error& why) {
  return fail(why.kind, "cannot listen on " + url + ": " + why.message);
}

Result<> check_reach(bool loopback, const std::string& address, ListenRules rules) {
  if (loopback || rules.anyone_may_reach_it) return {};
  return fail(ErrorKind::invalid_input,
              "refusing to listen on " + address +
                  " without authentication; use --ws-auth, or --allow-unauthenticated if other protection exists");
}

std::string authority_of(const ListenAddress& address) {
  const bool ipv6 = address.host.contains(':');
  return (ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

Result<OpenListener> open_tcp(const ListenAddress& address, ListenRules rules) {
  const std::string scheme = address.tls ? "wss://" : "ws://";
  OUTPOST_CHECK_OK(check_reach(address.loopback, authority_of(address), rules));
  Result<os::FileDescriptor> socket = os::listen_tcp(address.host, address.port);
  if (!socket) return cannot_listen(scheme + authority_of(address), socket.error());
  OpenListener listener{.socket = *std::move(socket), .url = {}, .tls = address.tls};
  listener.url = scheme + OUTPOST_TRY(os::local_address(listener.socket.get()));
  return listener;
}

Result<OpenListener> open_unix(const ListenAddress& address) {
  const std::string url = "unix://" + address.path;
  Result<os::UnixListener> listener = os::listen_unix(address.path);
  if (!listener) return cannot_listen(url, listener.error());
  return OpenListener{
      .socket = std::move(listener->socket), .url = url, .is_unix = true, .file = std::move(listener->file)};
}

/// Not everybody on this machine may connect: the socket's file has a mode that says so. An abstract one has none.
bool is_guarded(const std::string& path) {
  if (!path.starts_with('/')) return false;
  const auto status = os::target_status_at(AT_FDCWD, path.c_str());
  return status && (status->stx_mode & S_IWOTH) == 0;
}

Result<OpenListener> take_passed(os::FileDescriptor socket, ListenRules rules) {
  const os::SocketAddress address = OUTPOST_TRY(os::bound_address(socket.get()));
  if (address.is_unix) {
    OUTPOST_CHECK_OK(check_reach(is_guarded(address.text), "unix://" + address.text, rules));
    return OpenListener{.socket = std::move(socket), .url = "unix://" + address.text, .is_unix = true};
  }
  OUTPOST_CHECK_OK(check_reach(address.loopback, address.text, rules));
  return OpenListener{
      .socket = std::move(socket), .url = (rules.tls ? "wss://" : "ws://") + address.text, .tls = rules.tls};
}

}  // namespace

Result<std::vector<ListenAddress>> parse_listen_urls(const std::vector<std::string>& urls) {
  std::vector<ListenAddress> addresses;
  addresses.reserve(urls.size());
  for (const std::string& url : urls) addresses.push_back(OUTPOST_TRY(parse_listen_url(url)));
  const bool stdio = std::ranges::any_of(addresses, [](const auto& address) { return address.kind == Kind::stdio; });
  if (stdio && addresses.size() > 1) {
    return fail(ErrorKind::invalid_input, "--listen stdio can't be combined with another --listen");
  }
  return addresses;
}

Result<std::vector<OpenListener>> open_listeners(const std::vector<ListenAddress>& addresses, ListenRules rules,
                                                 std::vector<os::FileDescriptor> passed) {
  std::vector<OpenListener> listeners;
  for (const ListenAddress& address : addresses) {
    if (address.kind == Kind::websocket) listeners.push_back(OUTPOST_TRY(open_tcp(address, rules)));
    if (address.kind == Kind::unix_socket) listeners.push_back(OUTPOST_TRY(open_unix(address)));
    if (address.kind != Kind::passed_sockets) continue;
    if (passed.empty()) {
      return fail(ErrorKind::invalid_input, "--listen fd:// needs sockets of a service manager (LISTEN_FDS)");
    }
    for (auto& socket : std::exchange(passed, {})) {
      listeners.push_back(OUTPOST_TRY(take_passed(std::move(socket), rules)));
    }
  }
  return listeners;
}

}  // namespace outpost::apps
