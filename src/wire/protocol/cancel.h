#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>

#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/request_id.h"

/// `outpost/cancel` (extensions 11).
namespace outpost::wire {

struct CancelParams {
  static constexpr bool members_are_all = true;
  std::optional<RequestId> id;
  std::optional<std::string> http_request_id;
};
BOOST_DESCRIBE_STRUCT(CancelParams, (), (id, http_request_id))

struct CancelResult {
  bool found = false;  ///< the request wasn't answered yet
};
BOOST_DESCRIBE_STRUCT(CancelResult, (), (found))

namespace detail {

template <>
struct Decoder<RequestId> {
  static constexpr bool required = true;
  static bool read(JsonView view, RequestId& out, DecodeContext& context) {
    if (view.is_string()) {
      out = RequestId(std::string(view.as_string()));
      return true;
    }
    const std::optional<std::int64_t> number = view.as_plain_int64();
    if (!number) return context.wrong_number(view, "a string or an integer");
    out = RequestId(*number);
    return true;
  }
};

template <>
struct Encoder<RequestId> {
  static void write(JsonWriter& writer, const RequestId& value) {
    if (value.is_number()) return writer.integer(value.number());
    writer.string(value.text());
  }
};

}  // namespace detail
}  // namespace outpost::wire
