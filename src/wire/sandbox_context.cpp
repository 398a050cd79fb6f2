#include "wire/sandbox_context.h"

#include <utility>

#include "base/base64.h"

namespace outpost::wire::detail {

bool Decoder<SandboxContext>::read(JsonView view, SandboxContext& out, DecodeContext& context) {
  if (view.is_null()) return true;
  if (!view.is_object()) return context.wrong_type(view, "struct SandboxContext");
  const JsonView permissions = view.find("permissions");
  if (!permissions.present()) return context.missing_field("permissions");
  if (!view.find("windowsSandboxLevel").present()) return context.missing_field("windowsSandboxLevel");
  out.given = true;
  out.limits = permissions.find("type").as_string() != "disabled";
  return true;
}

bool Decoder<CheckedBase64>::read(JsonView view, CheckedBase64& out, DecodeContext& context) {
  if (!view.is_string()) return context.wrong_type(view, "a string");
  Result<Bytes> bytes = base64::decode(view.as_string());
  if (bytes) {
    out.bytes = *std::move(bytes);
  } else {
    out.fault = std::move(bytes).error().message;
  }
  return true;
}

}  // namespace outpost::wire::detail
