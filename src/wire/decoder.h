#pragma once

#include <array>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "wire/field_names.h"
#include "wire/fields.h"
#include "wire/json_document.h"

/// How a value of JSON becomes a member. `wire/codec.h` is the way in; only new kinds of members come here.
namespace outpost::wire::detail {

/// Collects what a decoding finds wrong. What tells a fault returns false, so that a reader can return it.
class DecodeContext {
 public:
  bool wrong_type(JsonView got, std::string_view expected);
  bool invalid_number();
  /// A number of the wrong kind or, if it is none, a wrong type.
  bool wrong_number(JsonView got, std::string_view expected);
  bool missing_field(std::string_view name);
  bool unknown_variant(std::string_view got, std::span<const std::string_view> names);
  /// The member being read is beyond its range.
  bool out_of_range(std::int64_t least, std::int64_t most);
  bool failed(Error error);

  /// Remembers the first unknown member of an `outpost` object; told only when nothing else is wrong.
  void unknown_member(std::string_view name, std::span<const ExtensionMember> known);
  /// The name of the member being read, for `out_of_range`.
  void enter(std::string_view member) { member_ = member; }
  /// Between these two, members are named with the one being read now before them (`outpost.size.rows`). `begin_nested`
  /// returns what `end_nested` wants.
  std::size_t begin_nested();
  /// The same for a struct, whose members are named in full only inside of an `outpost` object.
  std::size_t begin_struct() { return path_.empty() ? 0 : begin_nested(); }
  void end_nested(std::size_t previous) { path_.resize(previous); }

  /// Whether no fault of any kind was found.
  bool complete() const { return problem_.empty() && unknown_member_.empty(); }
  /// The fault that counts.
  Error take_error();

 private:
  std::string problem_;
  std::string unknown_member_;
  std::string path_;
  std::string_view member_;
};

/// One member of a described struct, without its type.
struct FieldEntry {
  std::string_view name;
  bool (*read)(JsonView value, void* object, DecodeContext& context);
  bool required;
};
inline constexpr std::size_t fields_per_struct_max = 64;  // fixed by the type that holds one bit for each

/// Reads an object member by member in document order into the struct at `object`, then looks for what is missing.
bool read_fields(JsonView view, std::span<const FieldEntry> fields, void* object, DecodeContext& context);
/// Params of an `outpost/…` method have no members but those of the specification (extensions 1.3).
void note_unknown_members(JsonView view, std::span<const FieldEntry> fields, DecodeContext& context);
/// Reads the value of an `outpost` member; `given` as in `Extension`.
bool read_extension(JsonView view, std::span<const FieldEntry> fields, std::span<const ExtensionMember> known,
                    void* object, bool& given, DecodeContext& context);

/// `read` takes over a value or tells the context what is wrong with it; `required` says whether the member must be
/// there.
template <class T>
struct Decoder;

template <class T>
concept DescribedStruct = boost::describe::has_describe_members<T>::value;
template <class T>
concept DescribedEnum = boost::describe::has_describe_enumerators<T>::value;

template <class T, class Member>
bool read_field(JsonView view, void* object, DecodeContext& context) {
  auto& member = static_cast<T*>(object)->*Member::pointer;
  return Decoder<std::remove_cvref_t<decltype(member)>>::read(view, member, context);
}

template <class T, class Member>
inline constexpr FieldEntry field_entry{
    camel_name<Member>, &read_field<T, Member>,
    Decoder<std::remove_cvref_t<decltype(std::declval<T&>().*Member::pointer)>>::required};

template <class T, template <class...> class List, class... Member>
constexpr auto make_field_table(List<Member...>) {
  static_assert(sizeof...(Member) <= fields_per_struct_max);
  return std::array<FieldEntry, sizeof...(Member)>{field_entry<T, Member>...};
}
template <class T>
inline constexpr auto field_table =
    make_field_table<T>(boost::describe::describe_members<T, boost::describe::mod_public>{});

template <DescribedStruct T>
struct Decoder<T> {
  static constexpr bool required = true;
  static bool read(JsonView view, T& out, DecodeContext& context) {
    if (!view.is_object()) return context.wrong_type(view, struct_title<T>);
    const std::size_t before = context.begin_struct();
    if constexpr (requires { T::members_are_all; }) note_unknown_members(view, field_table<T>, context);
    const bool good = read_fields(view, field_table<T>, &out, context);
    context.end_nested(before);
    return good;
  }
};

template <DescribedEnum T>
struct Decoder<T> {
  static constexpr bool required = true;
  static bool read(JsonView view, T& out, DecodeContext& context) {
    if (!view.is_string()) return context.wrong_type(view, view.is_object() ? "a string" : "string or map");
    const auto& names = enum_names<T>;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != view.as_string()) continue;
      out = enum_values<T>[i];
      return true;
    }
    return context.unknown_variant(view.as_string(), names);
  }
};

template <>
struct Decoder<std::string> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::string& out, DecodeContext& context);
};

template <>
struct Decoder<bool> {
  static constexpr bool required = true;
  static bool read(JsonView view, bool& out, DecodeContext& context);
};

template <>
struct Decoder<double> {
  static constexpr bool required = true;
  static bool read(JsonView view, double& out, DecodeContext& context);
};

template <>
struct Decoder<std::int64_t> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::int64_t& out, DecodeContext& context);
};

template <>
struct Decoder<std::uint64_t> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::uint64_t& out, DecodeContext& context);
};

template <>
struct Decoder<std::int32_t> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::int32_t& out, DecodeContext& context);
};

template <>
struct Decoder<std::uint32_t> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::uint32_t& out, DecodeContext& context);
};

template <>
struct Decoder<PathUri> {
  static constexpr bool required = true;
  static bool read(JsonView view, PathUri& out, DecodeContext& context);
};

template <>
struct Decoder<Base64Bytes> {
  static constexpr bool required = true;
  static bool read(JsonView view, Base64Bytes& out, DecodeContext& context);
};

template <>
struct Decoder<Presence> {
  static constexpr bool required = false;
  static bool read(JsonView view, Presence& out, DecodeContext&) {
    out.given = !view.is_null();
    return true;
  }
};

template <>
struct Decoder<NoParams> {
  static constexpr bool required = false;
  static bool read(JsonView view, NoParams& out, DecodeContext& context);
};

template <>
struct Decoder<EmptyObject> {
  static constexpr bool required = true;
  static bool read(JsonView view, EmptyObject& out, DecodeContext& context);
};

bool read_ranged(JsonView view, std::int64_t least, std::int64_t most, std::int64_t& out, DecodeContext& context);

template <std::int64_t Least, std::int64_t Most>
struct Decoder<Ranged<Least, Most>> {
  static constexpr bool required = true;
  static bool read(JsonView view, Ranged<Least, Most>& out, DecodeContext& context) {
    return read_ranged(view, Least, Most, out.value, context);
  }
};

template <class T, T Default>
struct Decoder<Defaulted<T, Default>> {
  static constexpr bool required = false;
  static bool read(JsonView view, Defaulted<T, Default>& out, DecodeContext& context) {
    return Decoder<T>::read(view, out.value, context);
  }
};

template <class T>
struct Decoder<std::optional<T>> {
  static constexpr bool required = false;
  static bool read(JsonView view, std::optional<T>& out, DecodeContext& context) {
    if (view.is_null()) return true;
    return Decoder<T>::read(view, out.emplace(), context);
  }
};

template <class T>
struct Decoder<Nullable<T>> : Decoder<std::optional<T>> {};

template <class T>
struct Decoder<std::vector<T>> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::vector<T>& out, DecodeContext& context) {
    if (!view.is_array()) return context.wrong_type(view, "a sequence");
    out.reserve(view.size());
    for (JsonView element : view.elements()) {
      if (!Decoder<T>::read(element, out.emplace_back(), context)) return false;
    }
    return true;
  }
};

template <class T>
struct Decoder<ListOrEmpty<T>> {
  static constexpr bool required = false;
  static bool read(JsonView view, ListOrEmpty<T>& out, DecodeContext& context) {
    return Decoder<std::vector<T>>::read(view, out.items, context);
  }
};

template <>
struct Decoder<std::map<std::string, std::string>> {
  static constexpr bool required = true;
  static bool read(JsonView view, std::map<std::string, std::string>& out, DecodeContext& context);
};

template <class T>
struct Decoder<Extension<T>> {
  static constexpr bool required = false;
  static bool read(JsonView view, Extension<T>& out, DecodeContext& context) {
    return read_extension(view, field_table<T>, T::known_members, &out.members, out.given, context);
  }
};

}  // namespace outpost::wire::detail
