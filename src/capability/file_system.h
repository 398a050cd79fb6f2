#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "wire/protocol/files.h"

namespace outpost::capability {

using MetadataDone = std::move_only_function<void(Result<wire::GetMetadataResult>)>;

/// The files of one machine. Belongs to a loop; each `done` is called on it, once, from within the call or later.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// filesystem 5, fs/getMetadata.
  virtual void get_metadata(wire::GetMetadataParams params, MetadataDone done) = 0;
};

}  // namespace outpost::capability
