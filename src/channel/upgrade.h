#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// What a listener and the server exchange about an incoming HTTP request: plain data (processes-and-sessions 10, 11).
namespace outpost::channel {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// The first value of a header in `headers`, whose names are in lower case, as `name` must be.
inline std::optional<std::string_view> find_header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

/// The head of an HTTP/1 request.
struct HttpRequest {
  std::string method;   ///< as it came: `GET`
  std::string target;   ///< as it came, with its query
  std::string path;     ///< the target without query and, in absolute form, without scheme and host; not decoded
  int version = 11;     ///< 10 or 11
  HttpHeaders headers;  ///< names in lower case, in the order they came, repeated ones too; values trimmed
  bool keep_alive = true;
  bool has_body = false;  ///< a body follows, or would: `content-length` above 0, or `transfer-encoding`

  /// The first header of this name (in lower case).
  std::optional<std::string_view> header(std::string_view name) const { return find_header(headers, name); }
};

/// An answer that isn't an upgrade. `content-length`, `date` and `connection` are added when it is written.
struct HttpAnswer {
  int status = 200;
  HttpHeaders headers = {};
  std::string body = {};
  bool close = false;  ///< the connection ends after this answer, whatever the request said

  bool operator==(const HttpAnswer&) const = default;
};

/// The subject of a connection of which nothing was asked (extensions 3).
inline constexpr std::string_view anonymous_subject = "anonymous";

/// The peer may have its connection. `subject` names who it is; sessions belong to it (extensions 3). It is compared,
/// never sent or logged.
struct UpgradeAccepted {
  std::string subject{anonymous_subject};
};

/// Judges the credentials of an upgrade whose form is right; `peer` is the address it came from. Called on the thread
/// of the listener's loop, must not block.
using UpgradeCheck =
    std::function<std::variant<UpgradeAccepted, HttpAnswer>(const HttpRequest& request, const std::string& peer)>;

}  // namespace outpost::channel
