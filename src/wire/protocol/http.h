#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "wire/fields.h"

/// `http/request` (http-request 1).
namespace outpost::wire {

struct HttpHeader {
  std::string name;
  std::string value;
  std::optional<std::string> value_env_var;  ///< of this process; its content goes behind `value`
};
BOOST_DESCRIBE_STRUCT(HttpHeader, (), (name, value, value_env_var))

enum class RedirectPolicy { follow, stop };
BOOST_DESCRIBE_ENUM(RedirectPolicy, follow, stop)

struct HttpRequestParams {
  std::string method;
  std::string url;
  ListOrEmpty<HttpHeader> headers;
  std::optional<Base64Bytes> body_base64;
  std::optional<std::uint64_t> timeout_ms;  ///< none: no limit
  Defaulted<RedirectPolicy, RedirectPolicy::follow> redirect_policy;
  std::string request_id;  ///< may be empty
  Defaulted<bool, false> stream_response;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(HttpRequestParams, (),
                      (method, url, headers, body_base64, timeout_ms, redirect_policy, request_id, stream_response,
                       outpost))

}  // namespace outpost::wire
