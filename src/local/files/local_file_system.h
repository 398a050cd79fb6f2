#pragma once

#include "capability/file_system.h"

namespace outpost::local {

/// The files of this machine, with the rights of this process. Short calls are answered from within.
class LocalFileSystem final : public capability::FileSystem {
 public:
  void get_metadata(wire::GetMetadataParams params, capability::MetadataDone done) override;
};

/// Metadata of a native path, links followed or not (filesystem 4, 5). Any thread; may block on a slow file system.
Result<wire::GetMetadataResult> metadata_of(const std::string& path, bool follow_symlinks);

}  // namespace outpost::local
