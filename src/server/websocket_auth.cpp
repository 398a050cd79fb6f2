#include "server/websocket_auth.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>
#include <variant>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/limits/auth.h"
#include "base/utf8.h"
#include "crypto/digest.h"
#include "os/files.h"
#include "server/jwt.h"

namespace outpost::server {

namespace {

using Verdict = std::variant<channel::UpgradeAccepted, channel::HttpAnswer>;

std::unexpected<Error> unusable(std::string text) {
  return fail(ErrorKind::invalid_input, std::move(text));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Blank is as good as absent.
std::optional<std::string> trimmed(const std::optional<std::string>& text) {
  const std::string_view rest = text ? trimmed(std::string_view(*text)) : std::string_view();
  return rest.empty() ? std::nullopt : std::optional<std::string>(rest);
}

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

Result<std::string> read_secret(const std::string& path) {
  const Result<std::string> text = os::read_small_file(path.c_str());
  const std::string failed = "failed to read websocket auth secret " + path + ": ";
  if (!text) return unusable(failed + text.error().message);
  if (!is_utf8(*text)) return unusable(failed + "stream did not contain valid UTF-8");
  const std::string_view secret = trimmed(std::string_view(*text));
  if (secret.empty()) return unusable("websocket auth secret " + path + " must not be empty");
  return std::string(secret);
}

Result<crypto::Sha256Digest> parse_digest(const std::string& option) {
  const std::string_view text = trimmed(std::string_view(option));
  crypto::Sha256Digest digest{};
  bool good = text.size() == 2 * digest.size();
  for (std::size_t i = 0; good && i < digest.size(); ++i) {
    const auto high = hex_value(text[2 * i]);
    const auto low = hex_value(text[2 * i + 1]);
    good = high && low;
    if (good) digest[i] = static_cast<std::byte>(*high << 4 | *low);
  }
  if (!good) return unusable("--ws-token-sha256 must be a 64-character hex SHA-256 digest");
  return digest;
}

channel::HttpAnswer refuse(std::string_view text) {
  return {.status = 401, .headers = {{"content-type", "text/plain; charset=utf-8"}}, .body = std::string(text)};
}

/// The token of a request (network 2); it is a view into the request.
std::variant<std::string_view, channel::HttpAnswer> bearer_token(const channel::HttpRequest& request) {
  const auto header = request.header("authorization");
  if (!header) return refuse("missing websocket bearer token");
  const bool readable = std::ranges::all_of(*header, [](char c) { return (c >= ' ' && c < 0x7f) || c == '\t'; });
  const auto space = header->find(' ');
  if (!readable || space == std::string_view::npos || !ascii::equal_any_case(header->substr(0, space), "bearer")) {
    return refuse("invalid authorization header");
  }
  const std::string_view token = trimmed(header->substr(space + 1));
  if (token.empty()) return refuse("invalid authorization header");
  return token;
}

/// `judge` turns a token into a verdict.
template <class Judge>
channel::UpgradeCheck token_check(Judge judge) {
  return [judge = std::move(judge)](const channel::HttpRequest& request, const std::string&) -> Verdict {
    auto token = bearer_token(request);
    if (auto* refused = std::get_if<channel::HttpAnswer>(&token)) return std::move(*refused);
    return judge(std::get<std::string_view>(token));
  };
}

Result<channel::UpgradeCheck> capability_check(const WebsocketAuthOptions& options) {
  if (options.shared_secret_file || options.issuer || options.audience || options.clock_skew_seconds) {
    return unusable(
        "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience`, and `--ws-max-clock-skew-seconds` require "
        "`--ws-auth "
        "signed-bearer-token`");
  }
  if (!options.token_files.empty() && !options.token_sha256.empty()) {
    return unusable("`--ws-token-file` and `--ws-token-sha256` are mutually exclusive");
  }
  std::vector<crypto::Sha256Digest> digests;
  digests.reserve(options.token_sha256.size() + options.token_files.size());
  for (const std::string& text : options.token_sha256) digests.push_back(OUTPOST_TRY(parse_digest(text)));
  for (const std::string& path : options.token_files) {
    digests.push_back(crypto::sha256(as_bytes(OUTPOST_TRY(read_secret(absolute(path))))));
  }
  if (digests.empty()) {
    return unusable("`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set");
  }
  return token_check([digests = std::move(digests)](std::string_view token) -> Verdict {
    const crypto::Sha256Digest digest = crypto::sha256(as_bytes(token));
    bool known = false;
    // All of them, always: the time doesn't tell which.
    for (const auto& wanted : digests) known |= crypto::equal_constant_time(digest, wanted);
    if (!known) return refuse("invalid websocket bearer token");
    return channel::UpgradeAccepted{.subject = "token:" + to_hex(digest)};
  });
}

Result<channel::UpgradeCheck> signed_check(const WebsocketAuthOptions& options) {
  if (!options.token_files.empty() || !options.token_sha256.empty()) {
    return unusable(
        "`--ws-token-file` and `--ws-token-sha256` require `--ws-auth capability-token`, not `signed-bearer-token`");
  }
  if (!options.shared_secret_file) {
    return unusable("`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set");
  }
  const std::uint64_t skew = options.clock_skew_seconds.value_or(limits::jwt_clock_skew.count());
  if (skew > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return unusable("websocket auth clock skew must fit in a signed 64-bit integer");
  }
  const std::string path = absolute(*options.shared_secret_file);
  std::string secret = OUTPOST_TRY(read_secret(path));
  if (secret.size() < limits::jwt_secret_bytes_least) {
    return unusable("signed websocket bearer secret " + path + " must be at least " +
                    std::to_string(limits::jwt_secret_bytes_least) + " bytes");
  }
  JwtRules rules{.issuer = trimmed(options.issuer),
                 .audience = trimmed(options.audience),
                 .clock_skew_s = static_cast<std::int64_t>(skew)};
  return token_check([secret = std::move(secret), rules = std::move(rules)](std::string_view token) -> Verdict {
    const auto claims = verify_jwt(token, as_bytes(secret));
    if (!claims) return refuse("invalid websocket jwt");
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (const auto problem = claims_problem(*claims, rules, now.time_since_epoch().count())) return refuse(*problem);
    return channel::UpgradeAccepted{.subject =
                                        "jwt:" + claims->issuer.value_or("") + "\n" + claims->subject.value_or("")};
  });
}

}  // namespace

Result<channel::UpgradeCheck> make_upgrade_check(const WebsocketAuthOptions& options) {
  using Mode = WebsocketAuthOptions::Mode;
  if (options.mode == Mode::capability_token) return capability_check(options);
  if (options.mode == Mode::signed_bearer_token) return signed_check(options);
  const bool flags = !options.token_files.empty() || !options.token_sha256.empty() || options.shared_secret_file ||
                     options.issuer || options.audience || options.clock_skew_seconds;
  if (flags) {
    return unusable("websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`");
  }
  return channel::UpgradeCheck();
}

}  // namespace outpost::server
