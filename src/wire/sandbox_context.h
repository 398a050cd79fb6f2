#pragma once

#include <string>

#include "base/bytes.h"
#include "wire/decoder.h"
#include "wire/encoder.h"

namespace outpost::wire {

/// The member `sandbox` (sandbox 1), so far only as much of it as tells whether it limits anything. Never written.
struct SandboxContext {
  bool given = false;   ///< there was one that isn't null
  bool limits = false;  ///< it is another than `"permissions": {"type": "disabled"}`
};

/// Bytes that are base64 on the wire, where bad text is for the method to tell and not for the decoding of the params
/// (filesystem 1, `dataBase64`).
struct CheckedBase64 {
  Bytes bytes;
  std::string fault;  ///< what is wrong with the text; empty: nothing
};

namespace detail {

template <>
struct Decoder<SandboxContext> {
  static constexpr bool required = false;
  static bool read(JsonView view, SandboxContext& out, DecodeContext& context);
};
template <>
struct Decoder<CheckedBase64> {
  static constexpr bool required = true;
  static bool read(JsonView view, CheckedBase64& out, DecodeContext& context);
};

template <>
struct Encoder<SandboxContext> {
  static bool omitted(const SandboxContext&) { return true; }
  static void write(JsonWriter& writer, const SandboxContext&) { writer.null(); }
};
template <>
struct Encoder<CheckedBase64> {
  static void write(JsonWriter& writer, const CheckedBase64& value) { writer.base64(value.bytes.view()); }
};

}  // namespace detail
}  // namespace outpost::wire
