#include "transport/http_head.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <iterator>

#include "base/ascii.h"

namespace outpost::transport {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view head_end = "\r\n\r\n";
constexpr int status_bad_request = 400;
constexpr int status_headers_too_large = 431;

std::string text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

template <class Fields>
channel::HttpHeaders headers_of(const Fields& fields) {
  channel::HttpHeaders headers;
  for (const auto& field : fields) {
    const auto name = field.name_string();
    headers.emplace_back(ascii::lower_case({name.data(), name.size()}), text_of(field.value()));
  }
  return headers;
}

/// The path of a target in origin form, or in absolute form (RFC 9112, 3.2.2).
std::string path_of(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with('/')) {
    const auto scheme_end = path.find("://");
    if (scheme_end != std::string_view::npos) {
      const auto path_begin = path.find('/', scheme_end + 3);
      path = path_begin == std::string_view::npos ? "/" : path.substr(path_begin);
    }
  }
  return std::string(path);
}

/// Whether `parser` takes all of `head` as one head. The body isn't its business: it is told that there is none.
template <class Parser>
bool parses(Parser& parser, std::string_view head) {
  parser.skip(true);
  // The bounds are `HeadCollector`'s; one more so that Beast's own never comes first.
  parser.header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(head.size() + 1, UINT32_MAX)));
  boost::beast::error_code error;
  const std::size_t used_bytes = parser.put(boost::asio::buffer(head.data(), head.size()), error);
  if (error || !parser.is_header_done() || used_bytes != head.size()) return false;
  const unsigned version = parser.get().version();
  return version == 10 || version == 11;
}

channel::HttpAnswer refusal(int status) {
  return {.status = status, .close = true};
}

}  // namespace

std::size_t HeadCollector::feed(std::string_view data) {
  if (complete_ || too_long_) return 0;
  std::size_t taken = 0;
  if (text_.empty()) {
    const std::size_t line_ends = std::min(data.find_first_not_of("\r\n"), data.size());
    taken = std::min(line_ends, bytes_max_ - skipped_bytes_);
    skipped_bytes_ += taken;
    data.remove_prefix(taken);
  }
  const std::size_t room = bytes_max_ - skipped_bytes_ - text_.size();
  const std::size_t search_from = text_.size() - std::min(text_.size(), head_end.size() - 1);
  const auto part = data.substr(0, room);
  text_.append(part);
  taken += part.size();
  const std::size_t end = text_.find(head_end, search_from);
  if (end != std::string::npos) {
    complete_ = true;
    taken -= text_.size() - (end + head_end.size());
    text_.resize(end + head_end.size());
  } else {
    too_long_ = part.size() == room;
  }
  return taken;
}

void HeadCollector::clear() {
  *this = HeadCollector(bytes_max_);
}

std::expected<channel::HttpRequest, channel::HttpAnswer> parse_request_head(std::string_view head) {
  http::request_parser<http::empty_body> parser;
  if (!parses(parser, head)) return std::unexpected(refusal(status_bad_request));
  const auto& message = parser.get();
  if (static_cast<std::size_t>(std::distance(message.begin(), message.end())) > limits::http_headers_max) {
    return std::unexpected(refusal(status_headers_too_large));
  }
  channel::HttpRequest request;
  request.method = text_of(message.method_string());
  request.target = text_of(message.target());
  request.path = path_of(request.target);
  request.version = static_cast<int>(message.version());
  request.headers = headers_of(message);
  request.keep_alive = parser.keep_alive();
  request.has_body = parser.content_length().value_or(0) > 0 || request.header("transfer-encoding").has_value();
  return request;
}

channel::HttpAnswer head_too_long_answer() {
  return refusal(status_headers_too_large);
}

Result<HttpResponse> parse_response_head(std::string_view head) {
  http::response_parser<http::empty_body> parser;
  if (!parses(parser, head)) return fail(ErrorKind::connection_lost, "the answer is not HTTP/1");
  const auto& message = parser.get();
  HttpResponse response;
  response.status = static_cast<int>(message.result_int());
  response.reason = text_of(message.reason());
  response.headers = headers_of(message);
  return response;
}

}  // namespace outpost::transport
