#include "local/files/file_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace outpost::local {
namespace {

TEST(FileError, HasTheKindsOfTheTable) {
  struct Row {
    int error;
    ErrorKind kind;
  };
  const Row rows[] = {{ENOENT, ErrorKind::not_found},
                      {EACCES, ErrorKind::invalid_input},
                      {EPERM, ErrorKind::invalid_input},
                      {EINVAL, ErrorKind::invalid_input},
                      {EISDIR, ErrorKind::io},
                      {ENOTDIR, ErrorKind::io},
                      {EEXIST, ErrorKind::io},
                      {ENOTEMPTY, ErrorKind::io},
                      {ELOOP, ErrorKind::io},
                      {EROFS, ErrorKind::io},
                      {ENOSPC, ErrorKind::io},
                      {EBUSY, ErrorKind::io},
                      {EBADF, ErrorKind::io},
                      {ENAMETOOLONG, ErrorKind::io},
                      {EFBIG, ErrorKind::io}};
  for (const Row& row : rows) {
    EXPECT_EQ(file_error(row.error).kind, row.kind) << row.error;
    EXPECT_TRUE(file_error(row.error).message.ends_with(" (os error " + std::to_string(row.error) + ")"));
  }
}

TEST(FileError, IsTextAlsoAboutNamesThatAreNone) {
  EXPECT_EQ(not_a_file("/tmp/\xff").message, "path `/tmp/\xef\xbf\xbd` is not a file");
}

}  // namespace
}  // namespace outpost::local
