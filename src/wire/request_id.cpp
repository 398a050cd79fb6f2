#include "wire/request_id.h"

#include "wire/json_writer.h"

namespace outpost::wire {

std::size_t RequestId::json_size() const {
  return is_number() ? decimal_size(number()) : json_string_size(text());
}

char* RequestId::write_json(char* out) const {
  return is_number() ? write_decimal(out, number()) : write_json_string(out, text());
}

}  // namespace outpost::wire
