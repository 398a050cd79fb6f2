#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

/// The types that members of DTOs may have beside std::string, bool, integers, double, std::vector,
/// std::map<std::string, std::string>, described structs and described enums. `wire/codec.h` codes them.
///
/// std::optional<T>: absent or null is none; none is left out when written.
namespace outpost::wire {

/// As std::optional, but none is written as null.
template <class T>
struct Nullable : std::optional<T> {
  using std::optional<T>::optional;
  using std::optional<T>::operator=;
};

/// A member that may be absent, which means `Default`; null is refused.
template <class T, T Default>
struct Defaulted {
  T value = Default;
  Defaulted() = default;
  Defaulted(T given) : value(given) {}
  operator T() const { return value; }
  bool operator==(const Defaulted&) const = default;
};

/// The largest integer that every JSON reader takes exactly: 2^53 - 1.
inline constexpr std::int64_t json_integer_max = 9007199254740991;  // fixed by RFC 7493, 2.2

/// A list that may be absent, which means empty; null is refused.
template <class T>
struct ListOrEmpty {
  std::vector<T> items;
};

/// An integer from `Least` to `Most`; anything else is refused with `NAME must be between Least and Most`
/// (extensions 1.6).
template <std::int64_t Least, std::int64_t Most>
struct Ranged {
  std::int64_t value = Least;
  Ranged() = default;
  Ranged(std::int64_t given) : value(given) {}
  operator std::int64_t() const { return value; }
};

/// Bytes that are base64 on the wire (RFC 4648, 4; strict).
struct Base64Bytes {
  Bytes bytes;
};

/// A `file:` URI as it came (filesystem 3). One that was decoded passed `check_path_uri`: whether it names a path of
/// this host is for its user to ask.
struct PathUri {
  std::string text;
  bool operator==(const PathUri&) const = default;
};

/// Records only that a value other than null was there; never written.
struct Presence {
  bool given = false;
  explicit operator bool() const { return given; }
};

/// Params that must be absent, null or `{}` (processes-and-sessions 2.1).
struct NoParams {};

/// Params or a result without members: `{}`. As params it takes any object.
struct EmptyObject {};

/// One member that the specification gives the `outpost` object of a method.
struct ExtensionMember {
  std::string_view name;
  /// Whether this version has it. What isn't supported is an unknown member, but named in the error (extensions 16.1).
  bool supported;
};

/// The member `outpost` of params (extensions 1.3). `T` is a described struct of the supported members, all of them
/// std::optional, with a list of all members of that method in the order of the specification:
/// `static constexpr std::array<ExtensionMember, N> known_members`.
template <class T>
struct Extension {
  bool given = false;  ///< `outpost` was there with at least one member that isn't null
  T members;
};

/// For a method whose `outpost` object has no members (extensions 1.3).
struct NoExtension {
  static constexpr std::array<ExtensionMember, 0> known_members{};
};
BOOST_DESCRIBE_STRUCT(NoExtension, (), ())

}  // namespace outpost::wire
