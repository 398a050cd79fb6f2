#pragma once

#include <string_view>

#include "base/result.h"
#include "wire/json_document.h"

namespace outpost::wire {

/// Parses one JSON text (RFC 8259, strict) into `document`, whose views may point into `text`.
///
/// Refused with `ErrorKind::malformed_message` (processes-and-sessions 1.1, 1.3), the message being the REASON there,
/// columns counted in bytes: bad syntax, an empty text, something behind the value, bytes that aren't UTF-8, arrays and
/// objects more than `limits::message_depth_max` deep, more than `limits::message_values_max` values, a key twice in
/// one object. After a failure the document is empty.
Result<> parse_json(std::string_view text, JsonDocument& document);

}  // namespace outpost::wire
