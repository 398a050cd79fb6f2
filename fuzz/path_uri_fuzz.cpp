#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"
#include "wire/path_uri.h"

/// Every accepted URI gives a normal absolute path, whose own URI gives that path back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outpost;
  const std::string_view input = as_text({reinterpret_cast<const std::byte*>(data), size});
  const auto path = wire::path_from_uri(input);
  OUTPOST_CHECK(wire::check_path_uri(input).has_value() == (path || path.error().kind != ErrorKind::invalid_params));
  if (!path) return 0;
  OUTPOST_CHECK(path->starts_with('/') && !path->contains('\0') && !path->contains("//"));
  OUTPOST_CHECK(*path == "/" || !path->ends_with('/'));
  const std::string uri = wire::uri_from_path(*path);
  OUTPOST_CHECK(wire::path_from_uri(uri) == *path);
  return 0;
}
