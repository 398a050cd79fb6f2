#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "local/files/toml_document.h"

/// What is cut out of any document can be read, and cut again it is the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outpost;
  const std::string_view input = as_text({reinterpret_cast<const std::byte*>(data), size});
  const auto document = local::TomlDocument::parse(input);
  if (!document) return 0;
  const std::vector<wire::KeyPath> paths = {{"a"}, {"b", "c"}, {"l"}, {"t"}, {"e"}, {"k"}, {""}};
  const std::string cut = document->cut(paths);
  const auto again = local::TomlDocument::parse(cut);
  OUTPOST_CHECK(again.has_value());
  OUTPOST_CHECK(again->cut(paths) == cut);
  return 0;
}
