#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/limits/messages.h"
#include "base/result.h"
#include "channel/upgrade.h"

/// Heads of HTTP/1 requests and answers (RFC 9112) as they come in from a socket. Pure.
namespace outpost::transport {

/// Collects the bytes of one head, in any portions, up to and with the empty line that ends it.
class HeadCollector {
 public:
  explicit HeadCollector(std::size_t bytes_max = limits::http_head_bytes_max) : bytes_max_(bytes_max) {}

  /// Takes bytes from the front of `data` and returns how many: all of them while the head isn't complete, none once it
  /// is complete or too long. Line ends in front of a head are skipped (RFC 9112, 2.2), but count.
  std::size_t feed(std::string_view data);
  bool complete() const { return complete_; }
  /// The head passed the limit without an end. The answer is 431, and the connection ends.
  bool too_long() const { return too_long_; }
  /// The head, with its empty line. Valid until the next call of `feed` or `clear`.
  std::string_view text() const { return text_; }
  /// Begins anew, for the next head of the connection; gives the memory back.
  void clear();

 private:
  std::size_t bytes_max_;
  std::string text_;
  std::size_t skipped_bytes_ = 0;
  bool complete_ = false;
  bool too_long_ = false;
};

/// The head of an HTTP answer.
struct HttpResponse {
  int status = 0;
  std::string reason;
  channel::HttpHeaders headers;  ///< names in lower case

  std::optional<std::string_view> header(std::string_view name) const { return channel::find_header(headers, name); }
};

/// Parses a whole head. A head that isn't one of HTTP/1.0 or 1.1, or has more than `limits::http_headers_max` headers,
/// gives the answer to send instead; the connection ends with it.
std::expected<channel::HttpRequest, channel::HttpAnswer> parse_request_head(std::string_view head);

/// The answer to a head that was too long: 431.
channel::HttpAnswer head_too_long_answer();

/// Parses a whole head of an answer. `ErrorKind::connection_lost` when it is none of HTTP/1.
Result<HttpResponse> parse_response_head(std::string_view head);

}  // namespace outpost::transport
