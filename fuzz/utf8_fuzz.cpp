#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"

/// The lossy form is always valid, and is the text itself exactly if that is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outpost;
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  const std::string lossy = to_utf8_lossy(input);
  OUTPOST_CHECK(is_utf8(lossy));
  OUTPOST_CHECK(is_utf8(as_text(input)) == (lossy == as_text(input)));
  return 0;
}
