#pragma once

#include <stop_token>

#include "base/result.h"
#include "local/files/entry.h"

namespace outpost::local {

/// What is copied or copied onto: a name in an open folder.
struct EntryView {
  int folder;
  const char* name;
};

Error unsupported_source();
/// One regular file for `copy_path`. A link at the end of `to` is followed, one at the end of `from` isn't.
Result<> copy_file(EntryView from, EntryView to, const std::stop_token& stop);
/// The link itself.
Result<> copy_link(EntryView from, EntryView to);

}  // namespace outpost::local
