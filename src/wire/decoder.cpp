#include "wire/decoder.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/base64.h"
#include "wire/path_uri.h"
#include "wire/quoted_text.h"

namespace outpost::wire::detail {

namespace {

std::string type_text(JsonView view) {
  switch (view.type()) {
    case JsonType::null:
      return "null";
    case JsonType::boolean:
      return *view.as_bool() ? "boolean `true`" : "boolean `false`";
    case JsonType::number:
      return "number";
    case JsonType::string:
      return "string " + quoted(view.as_string());
    case JsonType::array:
      return "sequence";
    case JsonType::object:
      return "map";
  }
  return "null";
}

/// `` `a` ``, `` `a` or `b` ``, `` one of `a`, `b`, `c` ``.
template <class Range, class NameOf>
std::string alternatives(const Range& range, NameOf name_of) {
  std::string out = range.size() > 2 ? "one of " : "";
  const std::string_view separator = range.size() > 2 ? ", " : " or ";
  bool first = true;
  for (const auto& item : range) {
    if (!std::exchange(first, false)) out += separator;
    out += '`';
    out += name_of(item);
    out += '`';
  }
  return out;
}

/// A number that `Integer` can hold, or the fault told.
template <class Wide, class Integer>
bool read_narrowed(std::optional<Wide> value, JsonView view, Integer& out, std::string_view name,
                   DecodeContext& context) {
  if (!value || !std::in_range<Integer>(*value)) return context.wrong_number(view, name);
  out = static_cast<Integer>(*value);
  return true;
}

const FieldEntry* find_field(std::span<const FieldEntry> fields, std::string_view name, std::size_t& hint) {
  // Members mostly come in the order of their declaration, so the search goes on behind the last one found.
  for (std::size_t tried = 0; tried < fields.size(); ++tried) {
    const std::size_t index = hint;
    hint = hint + 1 == fields.size() ? 0 : hint + 1;
    if (fields[index].name == name) return &fields[index];
  }
  return nullptr;
}

}  // namespace

bool DecodeContext::wrong_type(JsonView got, std::string_view expected) {
  problem_ = "invalid type: " + type_text(got) + ", expected ";
  problem_ += expected;
  return false;
}

bool DecodeContext::invalid_number() {
  problem_ = "invalid number";
  return false;
}

bool DecodeContext::wrong_number(JsonView got, std::string_view expected) {
  return got.type() == JsonType::number ? invalid_number() : wrong_type(got, expected);
}

bool DecodeContext::missing_field(std::string_view name) {
  problem_ = "missing field `";
  problem_ += name;
  problem_ += '`';
  return false;
}

bool DecodeContext::unknown_variant(std::string_view got, std::span<const std::string_view> names) {
  problem_ = "unknown variant `" + shortened(got) + "`, expected ";
  problem_ += alternatives(names, [](std::string_view name) { return name; });
  return false;
}

bool DecodeContext::out_of_range(std::int64_t least, std::int64_t most) {
  problem_ = path_;
  problem_ += member_;
  problem_ += " must be between " + std::to_string(least) + " and " + std::to_string(most);
  return false;
}

bool DecodeContext::failed(Error error) {
  problem_ = std::move(error.message);
  return false;
}

void DecodeContext::unknown_member(std::string_view name, std::span<const ExtensionMember> known) {
  if (!unknown_member_.empty()) return;
  unknown_member_ = "unknown field `" + path_ + shortened(name) + "`, ";
  if (known.empty()) {
    unknown_member_ += "there are no expected fields";
  } else {
    unknown_member_ += "expected " + alternatives(known, [](const ExtensionMember& member) { return member.name; });
  }
}

std::size_t DecodeContext::begin_nested() {
  const std::size_t before = path_.size();
  path_ += member_;
  path_ += '.';
  return before;
}

Error DecodeContext::take_error() {
  return {ErrorKind::invalid_params, std::move(problem_.empty() ? unknown_member_ : problem_)};
}

bool read_fields(JsonView view, std::span<const FieldEntry> fields, void* object, DecodeContext& context) {
  std::uint64_t seen = 0;
  std::size_t hint = 0;
  for (const auto& [name, value] : view.members()) {
    const FieldEntry* field = find_field(fields, name, hint);
    if (field == nullptr) continue;
    seen |= std::uint64_t{1} << (field - fields.data());
    context.enter(field->name);
    if (!field->read(value, object, context)) return false;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].required && (seen >> i & 1) == 0) return context.missing_field(fields[i].name);
  }
  return true;
}

void note_unknown_members(JsonView view, std::span<const FieldEntry> fields, DecodeContext& context) {
  std::vector<ExtensionMember> known;
  for (const FieldEntry& field : fields) known.push_back({field.name, true});
  std::size_t hint = 0;
  for (const auto& [name, value] : view.members()) {
    if (find_field(fields, name, hint) == nullptr) context.unknown_member(name, known);
  }
}

bool read_extension(JsonView view, std::span<const FieldEntry> fields, std::span<const ExtensionMember> known,
                    void* object, bool& given, DecodeContext& context) {
  if (view.is_null()) return true;
  if (!view.is_object()) return context.wrong_type(view, "a map");
  const std::size_t before = context.begin_nested();
  std::size_t hint = 0;
  bool good = true;
  for (const auto& [name, value] : view.members()) {
    if (value.is_null()) continue;
    given = true;
    const ExtensionMember* member = nullptr;
    for (const ExtensionMember& candidate : known) {
      if (candidate.supported && candidate.name == name) member = &candidate;
    }
    const FieldEntry* field = member == nullptr ? nullptr : find_field(fields, name, hint);
    if (field == nullptr) {
      context.unknown_member(name, known);
      continue;
    }
    context.enter(field->name);
    good = field->read(value, object, context);
    if (!good) break;
  }
  context.end_nested(before);
  return good;
}

bool read_ranged(JsonView view, std::int64_t least, std::int64_t most, std::int64_t& out, DecodeContext& context) {
  const std::optional<std::int64_t> value = view.as_int64();
  if (!value) {
    const std::optional<double> number = view.as_double();
    if (!number) return context.wrong_type(view, "an integer");
    if (std::trunc(*number) != *number) return context.invalid_number();
    return context.out_of_range(least, most);
  }
  if (*value < least || *value > most) return context.out_of_range(least, most);
  out = *value;
  return true;
}

bool Decoder<std::string>::read(JsonView view, std::string& out, DecodeContext& context) {
  if (!view.is_string()) return context.wrong_type(view, "a string");
  out = view.as_string();
  return true;
}

bool Decoder<bool>::read(JsonView view, bool& out, DecodeContext& context) {
  const std::optional<bool> value = view.as_bool();
  if (!value) return context.wrong_type(view, "a boolean");
  out = *value;
  return true;
}

bool Decoder<double>::read(JsonView view, double& out, DecodeContext& context) {
  const std::optional<double> value = view.as_double();
  if (!value) return context.wrong_type(view, "f64");
  if (!std::isfinite(*value)) return context.invalid_number();
  out = *value;
  return true;
}

bool Decoder<std::int64_t>::read(JsonView view, std::int64_t& out, DecodeContext& context) {
  return read_narrowed(view.as_int64(), view, out, "i64", context);
}
bool Decoder<std::uint64_t>::read(JsonView view, std::uint64_t& out, DecodeContext& context) {
  return read_narrowed(view.as_uint64(), view, out, "u64", context);
}
bool Decoder<std::int32_t>::read(JsonView view, std::int32_t& out, DecodeContext& context) {
  return read_narrowed(view.as_int64(), view, out, "i32", context);
}
bool Decoder<std::uint32_t>::read(JsonView view, std::uint32_t& out, DecodeContext& context) {
  return read_narrowed(view.as_uint64(), view, out, "u32", context);
}

bool Decoder<PathUri>::read(JsonView view, PathUri& out, DecodeContext& context) {
  if (!view.is_string()) return context.wrong_type(view, "a string");
  if (auto checked = check_path_uri(view.as_string()); !checked) return context.failed(std::move(checked).error());
  out.text = view.as_string();
  return true;
}

bool Decoder<Base64Bytes>::read(JsonView view, Base64Bytes& out, DecodeContext& context) {
  if (!view.is_string()) return context.wrong_type(view, "a string");
  Result<Bytes> bytes = base64::decode(view.as_string());
  if (!bytes) return context.failed(std::move(bytes).error());
  out.bytes = *std::move(bytes);
  return true;
}

bool Decoder<NoParams>::read(JsonView view, NoParams&, DecodeContext& context) {
  if (view.is_null() || (view.is_object() && view.size() == 0)) return true;
  return context.wrong_type(view, "unit");
}

bool Decoder<EmptyObject>::read(JsonView view, EmptyObject&, DecodeContext& context) {
  return view.is_object() || context.wrong_type(view, "a map");
}

bool Decoder<std::map<std::string, std::string>>::read(JsonView view, std::map<std::string, std::string>& out,
                                                       DecodeContext& context) {
  if (!view.is_object()) return context.wrong_type(view, "a map");
  for (const auto& [name, value] : view.members()) {
    if (!value.is_string()) return context.wrong_type(value, "a string");
    out.emplace(name, value.as_string());
  }
  return true;
}

}  // namespace outpost::wire::detail
