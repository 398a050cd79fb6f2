#include "local/files/digest_file.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/limits/files.h"
#include "crypto/digest.h"
#include "local/files/file_error.h"
#include "local/files/open_file.h"
#include "os/file_contents.h"
#include "os/file_status.h"

namespace outpost::local {

Result<FileDigest> digest_file(const std::string& path, std::uint64_t offset, std::optional<std::uint64_t> length,
                               bool follow_symlinks, const std::stop_token& stop) {
  const os::FileDescriptor file = OUTPOST_TRY(open_regular_file(path, follow_symlinks));
  std::uint64_t left = length.value_or(std::numeric_limits<std::uint64_t>::max());
  Bytes buffer(limits::file_portion_bytes);
  crypto::Sha256 sum;
  FileDigest digest;
  while (left > 0) {
    if (stop.stop_requested()) return fail(request_cancelled());
    const MutableBytes room = buffer.whole().first(std::min<std::uint64_t>(left, buffer.size()));
    const os::IoCount got = os::read_some_at(file.get(), room, offset + digest.bytes);
    if (got.status == os::IoCount::end) break;
    if (got.status != os::IoCount::ok) return fail(file_error(got.error != 0 ? got.error : EAGAIN));
    sum.update(ByteView(room).first(got.bytes));
    digest.bytes += got.bytes;
    left -= got.bytes;
  }
  digest.size = OUTPOST_TRY_SYSTEM(file_error, os::status_of(file.get())).stx_size;
  digest.sha256 = to_hex(sum.finish());
  return digest;
}

}  // namespace outpost::local
