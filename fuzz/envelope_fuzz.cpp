#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/envelope.h"
#include "wire/json_parser.h"
#include "wire/json_writer.h"

// Boost.JSON's own tree parser is the oracle: what it takes we take, but for what the protocol refuses besides.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outpost::wire;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static MessageParser messages;  // kept, so that every message meets what earlier ones left
  (void)messages.parse(text);
  boost::json::error_code code;
  boost::json::parse_options options{};
  options.max_depth = 1024;
  const boost::json::value expected = boost::json::parse(text, code, {}, options);
  JsonDocument document;
  const auto parsed = parse_json(text, document);
  if (!parsed) {
    const std::string& why = parsed.error().message;
    const bool stricter = why.starts_with("duplicate") || why.starts_with("recursion") || why.starts_with("JSON-RPC");
    if (!code && !stricter) std::abort();
    return 0;
  }
  if (code) std::abort();
  std::string written, again;
  JsonWriter(written).value(document.root());
  if (!parse_json(written, document)) std::abort();
  JsonWriter(again).value(document.root());
  if (again != written) std::abort();
  // Numbers may change their spelling, and what is beyond a double is written as null.
  if (!expected.is_number() && boost::json::parse(written).kind() != expected.kind()) std::abort();
  return 0;
}
