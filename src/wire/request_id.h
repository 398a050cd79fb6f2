#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace outpost::wire {

/// The id of a request (processes-and-sessions 1.1): an integer of 64 bits or any text. It is echoed as it came.
class RequestId {
 public:
  RequestId() : value_(std::int64_t{0}) {}
  RequestId(std::int64_t number) : value_(number) {}
  explicit RequestId(std::string text) : value_(std::move(text)) {}

  bool operator==(const RequestId&) const = default;

  bool is_number() const { return std::holds_alternative<std::int64_t>(value_); }
  /// Only where `is_number`.
  std::int64_t number() const { return std::get<std::int64_t>(value_); }
  /// Only where not `is_number`.
  const std::string& text() const { return std::get<std::string>(value_); }

  /// Bytes of the id as JSON, quotes included.
  std::size_t json_size() const;
  /// Writes exactly `json_size()` bytes; returns the place behind them.
  char* write_json(char* out) const;

 private:
  std::variant<std::int64_t, std::string> value_;
};

}  // namespace outpost::wire
