#include "wire/path_uri.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/check.h"
#include "base/hex.h"
#include "base/limits/messages.h"
#include "base/utf8.h"

namespace outpost::wire {
namespace {

constexpr std::string_view opaque_prefix = "file:///%00/bad/path/";
constexpr std::array<std::string_view, 3> opaque_segments = {"%00", "bad", "path"};

/// A URI taken apart by the rules of the WHATWG URL standard for `file:`, still percent-encoded.
struct FileUri {
  std::string host;                        // in lower case; empty for this machine
  std::vector<std::string_view> segments;  // dots resolved; empty ones only behind the first that isn't
  bool drive = false;                      // the first segment is a drive letter
};

using ascii::is_digit;
using ascii::is_letter;
using ascii::lower_case;

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

/// Appends `text` decoded. A `%` without two hexadecimal digits behind it stands for itself.
void append_percent_decoded(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && text.size() - i > 2) {
      const auto high = hex_value(text[i + 1]);
      const auto low = hex_value(text[i + 2]);
      if (high && low) {
        out.push_back(static_cast<char>(*high << 4 | *low));
        i += 2;
        continue;
      }
    }
    out.push_back(text[i]);
  }
}

/// The path percent-encode set of the WHATWG URL standard. `%` and `\` are the caller's business.
bool must_be_encoded(char c) {
  return c <= ' ' || c >= 0x7f || std::string_view("\"#<>?`{}").find(c) != std::string_view::npos;
}

/// Appends `text` with every byte of the set, and of `more`, encoded.
void append_percent_encoded(std::string& out, std::string_view text, std::string_view more) {
  constexpr char digits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (!must_be_encoded(c) && more.find(c) == std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', digits[byte >> 4], digits[byte & 0xf]});
  }
}

/// Drops blanks and controls at the ends, tabs and newlines anywhere.
std::string cleaned(std::string_view uri) {
  const auto is_blank = [](char c) { return c >= 0 && c <= ' '; };
  while (!uri.empty() && is_blank(uri.front())) uri.remove_prefix(1);
  while (!uri.empty() && is_blank(uri.back())) uri.remove_suffix(1);
  std::string text(uri);
  std::erase_if(text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return text;
}

/// The scheme in lower case, which is taken off the front of `uri`.
std::optional<std::string> take_scheme(std::string_view& uri) {
  if (uri.empty() || !is_letter(uri.front())) return std::nullopt;
  const auto* const end = std::ranges::find_if_not(
      uri, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
  if (end == uri.end() || *end != ':') return std::nullopt;
  std::string scheme = lower_case({uri.begin(), end});
  uri = {end + 1, uri.end()};
  return scheme;
}

/// `C:` or `C|`, the two spellings that the URL standard knows.
bool is_url_drive(std::string_view segment) {
  return segment.size() == 2 && is_letter(segment[0]) && (segment[1] == ':' || segment[1] == '|');
}

bool is_plain_drive(std::string_view segment) {
  return is_url_drive(segment) && segment[1] == ':';
}

/// `C:`, or with its colon encoded, which path URIs treat alike.
bool is_drive(std::string_view segment) {
  if (is_plain_drive(segment)) return true;
  return segment.size() == 4 && is_letter(segment[0]) && lower_case(segment.substr(1)) == "%3a";
}

/// How many dots a segment is (1 or 2), plain or encoded; 0 for any other segment.
std::size_t dots_of(std::string_view segment) {
  std::size_t dots = 0;
  while (!segment.empty() && dots < 3) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (segment.starts_with("%2e") || segment.starts_with("%2E")) {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    ++dots;
  }
  return dots < 3 ? dots : 0;
}

/// The segments of `path`, with or without its first slash; dots resolved. A last segment of dots leaves an empty one.
/// A first segment for which `is_top` holds is never left upwards.
std::vector<std::string_view> split_path(std::string_view path, bool (*is_top)(std::string_view)) {
  std::vector<std::string_view> segments;
  if (!path.empty() && is_slash(path.front())) path.remove_prefix(1);
  while (true) {
    const auto* const end = std::ranges::find_if(path, is_slash);
    const std::string_view segment(path.begin(), end);
    const std::size_t dots = dots_of(segment);
    const bool at_top = segments.empty() || (segments.size() == 1 && is_top(segments[0]));
    if (dots == 2 && !at_top) segments.pop_back();
    const bool last = end == path.end();
    if (dots == 0 && (!segment.empty() || !segments.empty())) segments.push_back(segment);
    if (dots != 0 && last && !segments.empty()) segments.emplace_back();
    if (last) break;
    path = {end + 1, path.end()};
  }
  const auto first = std::ranges::find_if_not(segments, &std::string_view::empty);
  segments.erase(segments.begin(), first);
  return segments;
}

/// The host in lower case, or why it can be none. Names beyond ASCII are taken as they are: only `localhost` matters.
Result<std::string> parse_host(std::string_view text) {
  if (text.starts_with('[')) {
    in6_addr address;
    const bool closed = text.ends_with(']');
    const std::string inner(text.substr(1, text.size() - (closed ? 2 : 1)));
    // inet_pton sees a C string: what is behind a NUL must not pass unseen.
    if (!closed || inner.contains('\0') || ::inet_pton(AF_INET6, inner.c_str(), &address) != 1) {
      return fail(ErrorKind::invalid_params, "invalid URI: invalid IPv6 address");
    }
    return lower_case(text);
  }
  std::string host;
  append_percent_decoded(host, text);
  const bool forbidden = std::ranges::any_of(host, [](char c) {
    return (c >= 0 && c <= ' ') || c == 0x7f || std::string_view("#/:<>?@[\\]^|%").find(c) != std::string_view::npos;
  });
  if (forbidden || !is_utf8(host)) {
    return fail(ErrorKind::invalid_params, "invalid URI: invalid international domain name");
  }
  host = lower_case(host);
  return host == "localhost" ? std::string() : host;
}

/// Takes apart what follows `file:`. The views of the result point into `rest`.
Result<FileUri> parse_after_scheme(std::string_view rest) {
  FileUri uri;
  const bool has_host = rest.size() >= 2 && is_slash(rest[0]) && is_slash(rest[1]);
  auto* is_top = has_host ? is_plain_drive : is_url_drive;  // `file:C|` is a drive, `file:///C|` is a name
  if (has_host) {
    rest.remove_prefix(2);
    const auto* const end = std::ranges::find_if(rest, [](char c) { return is_slash(c) || c == '?' || c == '#'; });
    const std::string_view host(rest.begin(), end);
    if (is_url_drive(host)) {
      is_top = is_url_drive;  // `file://C|/x` has no host either: the drive begins the path
    } else {
      uri.host = OUTPOST_TRY(parse_host(host));
      rest.remove_prefix(host.size());
    }
  }
  const std::size_t end = rest.find_first_of("?#");
  if (end != std::string_view::npos) {
    return fail(ErrorKind::invalid_params, rest[end] == '?' ? "query parameters are not allowed in path URIs"
                                                            : "fragments are not allowed in path URIs");
  }
  uri.segments = split_path(rest, is_top);
  uri.drive = !uri.segments.empty() && (is_top(uri.segments.front()) || is_drive(uri.segments.front()));
  return uri;
}

/// The refusal that repeats the URI in its normal form.
std::unexpected<Error> fail_foreign(ErrorKind kind, const FileUri& uri) {
  std::string text = "file://";
  append_percent_encoded(text, uri.host, "");
  if (uri.segments.empty()) text.push_back('/');
  for (const std::string_view segment : uri.segments) {
    text.push_back('/');
    append_percent_encoded(text, segment, "");
  }
  return fail(kind, "'" + text + "' is invalid on 'linux'");
}

/// Absolute, without empty or dot components and without a slash at the end; `/` for the root.
std::string lexically_normal(std::string_view path) {
  std::string normal;
  normal.reserve(path.size() + 1);
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (component == "..") {
      normal.resize(normal.empty() ? 0 : normal.rfind('/'));
    } else if (!component.empty() && component != ".") {
      normal.push_back('/');
      normal += component;
    }
  }
  return normal.empty() ? "/" : normal;
}

/// Whether a normal path would read as something else if it were merely percent-encoded.
bool needs_opaque_form(std::string_view path) {
  const std::string_view first = path.substr(1, path.find('/', 1) - 1);
  return path.contains('\0') || is_plain_drive(first);
}

std::string base64url(std::string_view bytes) {
  std::string text = base64::encode(as_bytes(bytes));
  text.resize(text.find_last_not_of('=') + 1);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.empty() || text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  standard.resize((standard.size() + 3) / 4 * 4, '=');
  const auto bytes = base64::decode(standard);
  if (!bytes) return std::nullopt;
  return std::string(as_text(bytes->view()));
}

/// The path of an opaque URI: good only for a path that has no other spelling.
Result<std::string> path_from_opaque(const FileUri& uri) {
  auto path = from_base64url(uri.segments.back());
  if (!path) return fail_foreign(ErrorKind::invalid_params, uri);
  const bool canonical = path->starts_with('/') && *path == lexically_normal(*path) && needs_opaque_form(*path);
  if (path->starts_with('/') && path->contains('\0')) {
    return fail(ErrorKind::invalid_input, "file name contained an unexpected NUL byte");
  }
  if (!canonical) return fail_foreign(ErrorKind::invalid_input, uri);
  return *std::move(path);
}

bool is_opaque(const FileUri& uri) {
  return uri.host.empty() && uri.segments.size() == opaque_segments.size() + 1 &&
         std::equal(opaque_segments.begin(), opaque_segments.end(), uri.segments.begin());
}

/// Without a host, a query, a fragment and a NUL in any spelling; what else is in the path, it has the form of one.
bool is_plainly_a_path(std::string_view uri) {
  constexpr std::string_view start = "file:///";
  if (!uri.starts_with(start)) return false;
  const auto is_plain = [](char c) { return c != '?' && c != '#' && !(c >= 0 && c < ' '); };
  return std::ranges::all_of(uri.substr(start.size()), is_plain) && !uri.contains("%00");
}

}  // namespace

Result<> check_path_uri(std::string_view uri) {
  if (is_plainly_a_path(uri)) return {};
  auto path = path_from_uri(uri);
  if (!path && path.error().kind == ErrorKind::invalid_params) return fail(std::move(path).error());
  return {};
}

Result<std::string> path_from_uri(std::string_view uri) {
  if (uri.size() > limits::path_uri_bytes_max) return fail(ErrorKind::io, os_error_text(ENAMETOOLONG));
  const std::string text = cleaned(uri);
  std::string_view rest = text;
  const auto scheme = take_scheme(rest);
  if (!scheme) return fail(ErrorKind::invalid_params, "invalid URI: relative URL without a base");
  if (*scheme != "file") {
    return fail(ErrorKind::invalid_params, "unsupported path URI scheme `" + *scheme + "`");
  }
  const FileUri parsed = OUTPOST_TRY(parse_after_scheme(rest));
  if (is_opaque(parsed)) return path_from_opaque(parsed);

  std::string path;
  path.reserve(rest.size() + 1);
  for (const std::string_view segment : parsed.segments) {
    path.push_back('/');
    append_percent_decoded(path, segment);
  }
  if (path.contains('\0')) return fail_foreign(ErrorKind::invalid_params, parsed);
  if (!parsed.host.empty() || parsed.drive) return fail_foreign(ErrorKind::invalid_input, parsed);
  return lexically_normal(path);
}

std::string uri_from_path(std::string_view absolute_native_path) {
  OUTPOST_DCHECK(absolute_native_path.starts_with('/'));
  const std::string path = lexically_normal(absolute_native_path);
  if (needs_opaque_form(path)) return std::string(opaque_prefix) + base64url(path);
  std::string uri = "file://";
  uri.reserve(uri.size() + path.size() + path.size() / 4);
  append_percent_encoded(uri, path, "%\\");
  return uri;
}

}  // namespace outpost::wire
