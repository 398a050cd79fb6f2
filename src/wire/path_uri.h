#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

/// `file:` URIs, the form of every path on the wire (filesystem.md 3, processes-and-sessions.md 5.2). Pure text: the
/// file system is never asked. Safe from any thread.
namespace outpost::wire {

/// The absolute native path that `uri` names: dots resolved in the text, no double and no trailing slash, any bytes but
/// NUL, of any length.
///
/// A text that is no path URI at all (no or another scheme, query, fragment, a host that can't be one, a NUL in the
/// path) is `invalid_params`; a URI that names no path of this host (another host, a drive letter) is `invalid_input`;
/// one of more than `limits::path_uri_bytes_max` bytes is `io`, as a name that is too long. The texts are the wire's;
/// where they repeat the URI it is in its normal form. Where the URI is a cwd, the caller wraps `invalid_input` in its
/// own text.
Result<std::string> path_from_uri(std::string_view uri);

/// Whether `uri` is a path URI at all: fails as `path_from_uri` does with `invalid_params`, and passes what that
/// refuses for another reason. For the decoding of params, where a method's own checks are still to come; an ordinary
/// URI is looked through once and not taken apart.
Result<> check_path_uri(std::string_view uri);

/// The one URI that this server writes for `absolute_native_path`, which must start with `/`; it is brought into
/// lexical normal form first. `path_from_uri` gives that path back, except for one with a NUL, which no call can use.
///
/// A path whose first component looks like a drive (`/C:/x`) has the opaque form `file:///%00/bad/path/BASE64URL`.
std::string uri_from_path(std::string_view absolute_native_path);

}  // namespace outpost::wire
