// Any bytes: a head is found at the same place however it comes, and what parses can be answered.
#include <cstdint>
#include <cstdlib>

#include "transport/upgrade.h"

using namespace outpost::transport;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  HeadCollector whole(2048);
  const std::size_t used = whole.feed(bytes);
  if (used != bytes.size() && !whole.complete() && !whole.too_long()) std::abort();

  HeadCollector cut(2048);
  std::size_t cut_used = 0;
  for (std::size_t place = 0; place < bytes.size(); place += data[0] + 1) {
    cut_used += cut.feed(bytes.substr(place, data[0] + 1));
  }
  if (cut.text() != whole.text() || cut.complete() != whole.complete() || cut_used != used) std::abort();

  if (auto request = parse_request_head(whole.text())) {
    if (!whole.complete()) std::abort();
    auto decision = answer_http(*request, {}, "fuzz");
    auto* answer = std::get_if<outpost::channel::HttpAnswer>(&decision);
    if (answer != nullptr && !parse_response_head(format_answer({.status = answer->status}, form_for(*request)))) {
      std::abort();
    }
  }
  if (auto response = parse_response_head(whole.text())) (void)check_upgrade_answer(*response, "key");
  return 0;
}
