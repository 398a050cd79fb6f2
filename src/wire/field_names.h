#pragma once

#include <array>
#include <boost/describe/enumerators.hpp>
#include <cstddef>
#include <string_view>

/// Names on the wire, made at compile time from those of the described members: `process_id` is `processId`.
namespace outpost::wire::detail {

constexpr std::size_t camel_size(std::string_view snake) {
  std::size_t size = 0;
  for (char c : snake) size += c != '_';
  return size;
}

/// A text with static storage; a template argument of its own for each descriptor.
template <class Descriptor>
struct CamelName {
  static constexpr std::string_view snake{Descriptor::name};
  static constexpr auto make() {
    std::array<char, camel_size(snake)> out{};
    std::size_t at = 0;
    bool raise = false;
    for (char c : snake) {
      if (c == '_') {
        raise = true;
        continue;
      }
      out[at++] = raise && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      raise = false;
    }
    return out;
  }
  static constexpr auto chars = make();
};
template <class Descriptor>
inline constexpr std::string_view camel_name{CamelName<Descriptor>::chars.data(), CamelName<Descriptor>::chars.size()};

template <class T, template <class...> class List, class... Enumerator>
constexpr auto make_enum_names(List<Enumerator...>) {
  return std::array<std::string_view, sizeof...(Enumerator)>{camel_name<Enumerator>...};
}
template <class T, template <class...> class List, class... Enumerator>
constexpr auto make_enum_values(List<Enumerator...>) {
  return std::array<T, sizeof...(Enumerator)>{Enumerator::value...};
}
/// In order of declaration.
template <class T>
inline constexpr auto enum_names = make_enum_names<T>(boost::describe::describe_enumerators<T>{});
template <class T>
inline constexpr auto enum_values = make_enum_values<T>(boost::describe::describe_enumerators<T>{});

/// The name of an enumerator on the wire; empty for a value that is none.
template <class T>
constexpr std::string_view enum_name(T value) {
  for (std::size_t i = 0; i < enum_values<T>.size(); ++i) {
    if (enum_values<T>[i] == value) return enum_names<T>[i];
  }
  return {};
}

/// `struct NAME`, as an error names the type of a whole object.
template <class T>
struct StructTitle {
  static constexpr std::string_view name() {
    std::string_view text = __PRETTY_FUNCTION__;  // "… [T = outpost::wire::ReadParams]"
    text.remove_suffix(1);
    return text.substr(text.find_last_of(": ") + 1);
  }
  static constexpr std::string_view prefix = "struct ";
  static constexpr auto make() {
    std::array<char, prefix.size() + name().size()> out{};
    std::size_t at = 0;
    for (char c : prefix) out[at++] = c;
    for (char c : name()) out[at++] = c;
    return out;
  }
  static constexpr auto chars = make();
};
template <class T>
inline constexpr std::string_view struct_title{StructTitle<T>::chars.data(), StructTitle<T>::chars.size()};

}  // namespace outpost::wire::detail
