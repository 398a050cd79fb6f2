#include "wire/json_document.h"

#include <cmath>

#include "base/limits/messages.h"

namespace outpost::wire {

JsonView JsonDocument::root() const {
  return nodes_.empty() ? JsonView() : JsonView(this, 0);
}

void JsonDocument::clear() {
  if (nodes_.capacity() > limits::json_nodes_kept) {
    std::vector<Node>().swap(nodes_);  // assigning {} would keep the memory
  } else {
    nodes_.clear();
  }
  if (decoded_capacity_ > limits::json_text_bytes_kept) {
    decoded_.reset();
    decoded_capacity_ = 0;
  }
  decoded_size_ = 0;
}

std::optional<bool> JsonView::as_bool() const {
  if (type() != JsonType::boolean) return std::nullopt;
  return node().boolean;
}

namespace {

// Powers of two are exact as doubles, so a whole number below them fits the type.
constexpr double two_to_63 = 9223372036854775808.0;
constexpr double two_to_64 = 18446744073709551616.0;

bool is_whole(double value) {
  return std::trunc(value) == value;
}

}  // namespace

std::optional<std::int64_t> JsonView::as_int64() const {
  if (type() != JsonType::number) return std::nullopt;
  const JsonDocument::Node& it = node();
  if (it.kind == JsonDocument::NodeKind::int64) return it.int64;
  // An uint64 node holds only what no int64 can.
  if (it.kind == JsonDocument::NodeKind::uint64) return std::nullopt;
  if (!is_whole(it.real) || it.real <= -two_to_63 || it.real >= two_to_63) return std::nullopt;
  return static_cast<std::int64_t>(it.real);
}

std::optional<std::uint64_t> JsonView::as_uint64() const {
  if (type() != JsonType::number) return std::nullopt;
  const JsonDocument::Node& it = node();
  if (it.kind == JsonDocument::NodeKind::uint64) return it.uint64;
  if (it.kind == JsonDocument::NodeKind::int64) {
    return it.int64 < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(it.int64));
  }
  if (!is_whole(it.real) || it.real < 0 || it.real >= two_to_64) return std::nullopt;
  return static_cast<std::uint64_t>(it.real);
}

std::optional<double> JsonView::as_double() const {
  if (type() != JsonType::number) return std::nullopt;
  const JsonDocument::Node& it = node();
  if (it.kind == JsonDocument::NodeKind::int64) return static_cast<double>(it.int64);
  if (it.kind == JsonDocument::NodeKind::uint64) return static_cast<double>(it.uint64);
  return it.real;
}

std::optional<std::int64_t> JsonView::as_plain_int64() const {
  if (!present() || node().kind != JsonDocument::NodeKind::int64) return std::nullopt;
  return node().int64;
}

std::size_t JsonView::size() const {
  switch (type()) {
    case JsonType::string:
    case JsonType::array:
    case JsonType::object:
      return node().size;
    default:
      return 0;
  }
}

JsonView JsonView::find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.key == key) return member.value;
  }
  return {};
}

}  // namespace outpost::wire
