#include <cstdint>

#include "base/base64.h"
#include "base/check.h"

/// Both paths agree on every text, and what is accepted is the one text of its bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outpost;
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  const std::string_view text = as_text(input);

  Bytes fast(base64::decoded_size_max(size));
  Bytes scalar(base64::decoded_size_max(size));
  const auto fast_size = base64::decode(text, fast.data());
  const auto scalar_size = base64::detail::decode_scalar(text, scalar.data());
  OUTPOST_CHECK(fast_size.has_value() == scalar_size.has_value());
  if (fast_size) {
    OUTPOST_CHECK(*fast_size == *scalar_size);
    OUTPOST_CHECK(base64::encode(fast.view().first(*fast_size)) == text);
  } else {
    OUTPOST_CHECK(fast_size.error().message == scalar_size.error().message);
  }

  const std::string encoded = base64::encode(input);
  std::string encoded_scalar(encoded.size(), '\0');
  base64::detail::encode_scalar(input, encoded_scalar.data());
  OUTPOST_CHECK(encoded == encoded_scalar);
  const auto back = base64::decode(encoded);
  OUTPOST_CHECK(back && as_text(back->view()) == text);
  return 0;
}
