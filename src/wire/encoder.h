#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "wire/field_names.h"
#include "wire/fields.h"
#include "wire/json_writer.h"

/// How a member becomes JSON. `wire/codec.h` is the way in; only new kinds of members come here.
namespace outpost::wire::detail {

/// `write` appends the value; `omitted`, where there is one, says that the whole member is left out.
template <class T>
struct Encoder;

template <class T>
bool is_omitted(const T& value) {
  if constexpr (requires { Encoder<T>::omitted(value); }) {
    return Encoder<T>::omitted(value);
  } else {
    return false;
  }
}

template <class T, class Member>
void write_field(JsonWriter& writer, const T& object) {
  const auto& member = object.*Member::pointer;
  if (is_omitted(member)) return;
  writer.key(camel_name<Member>);
  Encoder<std::remove_cvref_t<decltype(member)>>::write(writer, member);
}

template <class T, template <class...> class List, class... Member>
void write_fields(JsonWriter& writer, const T& object, List<Member...>) {
  writer.begin_object();
  (write_field<T, Member>(writer, object), ...);
  writer.end_object();
}

template <class T>
  requires boost::describe::has_describe_members<T>::value
struct Encoder<T> {
  static void write(JsonWriter& writer, const T& value) {
    write_fields(writer, value, boost::describe::describe_members<T, boost::describe::mod_public>{});
  }
};

template <class T>
  requires boost::describe::has_describe_enumerators<T>::value
struct Encoder<T> {
  static void write(JsonWriter& writer, T value) { writer.string(enum_name(value)); }
};

template <>
struct Encoder<std::string> {
  static void write(JsonWriter& writer, const std::string& value) { writer.string(value); }
};

template <>
struct Encoder<bool> {
  static void write(JsonWriter& writer, bool value) { writer.boolean(value); }
};

template <>
struct Encoder<double> {
  static void write(JsonWriter& writer, double value) { writer.real(value); }
};

template <std::integral T>
struct Encoder<T> {
  static void write(JsonWriter& writer, T value) { writer.integer(value); }
};

template <>
struct Encoder<PathUri> {
  static void write(JsonWriter& writer, const PathUri& value) { writer.string(value.text); }
};

template <>
struct Encoder<Base64Bytes> {
  static void write(JsonWriter& writer, const Base64Bytes& value) { writer.base64(value.bytes.view()); }
};

template <>
struct Encoder<Presence> {
  static bool omitted(const Presence&) { return true; }
  static void write(JsonWriter& writer, const Presence&) { writer.null(); }
};

template <>
struct Encoder<NoParams> {
  static void write(JsonWriter& writer, const NoParams&) { writer.raw("{}"); }
};

template <>
struct Encoder<EmptyObject> {
  static void write(JsonWriter& writer, const EmptyObject&) { writer.raw("{}"); }
};

template <std::int64_t Least, std::int64_t Most>
struct Encoder<Ranged<Least, Most>> {
  static void write(JsonWriter& writer, const Ranged<Least, Most>& value) { writer.integer(value.value); }
};

template <class T, T Default>
struct Encoder<Defaulted<T, Default>> {
  static void write(JsonWriter& writer, const Defaulted<T, Default>& value) { Encoder<T>::write(writer, value.value); }
};

template <class T>
void write_or_null(JsonWriter& writer, const std::optional<T>& value) {
  if (value) {
    Encoder<T>::write(writer, *value);
  } else {
    writer.null();
  }
}

template <class T>
struct Encoder<Nullable<T>> {
  static void write(JsonWriter& writer, const Nullable<T>& value) { write_or_null<T>(writer, value); }
};

template <class T>
struct Encoder<std::optional<T>> {
  static bool omitted(const std::optional<T>& value) { return !value.has_value(); }
  static void write(JsonWriter& writer, const std::optional<T>& value) { write_or_null<T>(writer, value); }
};

template <class T>
struct Encoder<std::vector<T>> {
  static void write(JsonWriter& writer, const std::vector<T>& value) {
    writer.begin_array();
    for (const T& element : value) Encoder<T>::write(writer, element);
    writer.end_array();
  }
};

template <class T>
struct Encoder<ListOrEmpty<T>> {
  static void write(JsonWriter& writer, const ListOrEmpty<T>& value) {
    Encoder<std::vector<T>>::write(writer, value.items);
  }
};

template <>
struct Encoder<std::map<std::string, std::string>> {
  static void write(JsonWriter& writer, const std::map<std::string, std::string>& value) {
    writer.begin_object();
    for (const auto& [name, text] : value) {
      writer.key(name);
      writer.string(text);
    }
    writer.end_object();
  }
};

template <class T>
struct Encoder<Extension<T>> {
  static bool omitted(const Extension<T>& value) { return !value.given; }
  static void write(JsonWriter& writer, const Extension<T>& value) { Encoder<T>::write(writer, value.members); }
};

}  // namespace outpost::wire::detail
