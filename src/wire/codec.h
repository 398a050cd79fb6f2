#pragma once

#include <string>

#include "base/result.h"
#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/fields.h"
#include "wire/json_document.h"
#include "wire/json_writer.h"

namespace outpost::wire {

/// A DTO out of a JSON value: `T` is a struct described with BOOST_DESCRIBE_STRUCT (its snake_case members are
/// camelCase on the wire), `NoParams`, `EmptyObject` or any type that a member may have (`wire/fields.h`). Nothing of
/// `view` is kept. An absent view reads as null.
///
/// Fails with `ErrorKind::invalid_params` and the texts of processes-and-sessions 1.2: a wrong type or value, the first
/// in document order, comes before the first missing field in declaration order, and that before an unknown member of
/// an `outpost` object. Unknown members elsewhere are ignored.
template <class T>
Result<T> decode(JsonView view) {
  detail::DecodeContext context;
  T value{};
  if (!detail::Decoder<T>::read(view, value, context) || !context.complete()) return fail(context.take_error());
  return value;
}

/// Appends `value` as JSON, members in declaration order.
template <class T>
void encode(JsonWriter& writer, const T& value) {
  detail::Encoder<T>::write(writer, value);
}
template <class T>
void encode(std::string& out, const T& value) {
  JsonWriter writer(out);
  encode(writer, value);
}

}  // namespace outpost::wire
