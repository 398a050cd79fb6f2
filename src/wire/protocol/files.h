#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>

#include "wire/fields.h"

/// The `fs/*` methods (filesystem 1).
namespace outpost::wire {

struct GetMetadataParams {
  PathUri path;
  std::optional<bool> follow_symlinks;  ///< none and true: links are followed
  Presence sandbox;
  Extension<NoExtension> outpost;
};
BOOST_DESCRIBE_STRUCT(GetMetadataParams, (), (path, follow_symlinks, sandbox, outpost))

struct GetMetadataResult {
  bool is_directory = false;
  bool is_file = false;
  bool is_symlink = false;
  std::uint64_t size = 0;           ///< bytes
  std::int64_t created_at_ms = 0;   ///< since 1970 UTC; 0: not known
  std::int64_t modified_at_ms = 0;  ///< since 1970 UTC
};
BOOST_DESCRIBE_STRUCT(GetMetadataResult, (), (is_directory, is_file, is_symlink, size, created_at_ms, modified_at_ms))

}  // namespace outpost::wire
