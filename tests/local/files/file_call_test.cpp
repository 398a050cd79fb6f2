#include "local/files/file_call.h"

#include <gtest/gtest.h>

#include "base/limits/file_reads.h"

namespace outpost::local {
namespace {

bool may_run_on_the_loop(capability::FileRequest request, Handles& handles) {
  const auto call = plan(std::move(request), handles);
  EXPECT_TRUE(call) << call.error().message;
  return call && call->may_run_here;
}

wire::WriteFileParams small_write() {
  wire::WriteFileParams params;
  params.path = {"file:///tmp/x"};
  params.data_base64.bytes = Bytes::copy_of(as_bytes("x"));
  return params;
}

TEST(FileCall, WhatWaitsForTheDiskDoesNotRunOnTheLoop) {
  Handles handles;
  EXPECT_TRUE(may_run_on_the_loop(small_write(), handles));
  wire::WriteFileParams atomic = small_write();
  atomic.outpost.given = atomic.outpost.members.atomic.emplace(true);
  EXPECT_FALSE(may_run_on_the_loop(std::move(atomic), handles));
  wire::WriteFileParams flushed = small_write();
  flushed.outpost.given = flushed.outpost.members.fsync.emplace(true);
  EXPECT_FALSE(may_run_on_the_loop(std::move(flushed), handles));
  wire::WriteFileParams large = small_write();
  large.data_base64.bytes = Bytes(limits::read_here_bytes_max + 1);
  EXPECT_FALSE(may_run_on_the_loop(std::move(large), handles));
}

TEST(FileCall, TheCloseOfAnAtomicWriteDoesNotRunOnTheLoop) {
  for (const bool atomic : {false, true}) {
    Handles handles;
    wire::OpenParams open;
    open.handle_id = "h";
    open.path = {"file:///tmp/x"};
    open.mode = wire::OpenMode::replace;
    open.outpost.given = atomic;
    if (atomic) open.outpost.members.atomic = true;
    auto opening = plan(open, handles);
    ASSERT_TRUE(opening) << opening.error().message;
    opening->settle(nullptr);
    wire::CloseParams close;
    close.handle_id = "h";
    EXPECT_EQ(may_run_on_the_loop(close, handles), !atomic);
  }
}

TEST(FileCall, AListingFollowsLinksThatLeadAnywhere) {
  Handles handles;
  wire::ReadDirectoryParams params;
  params.path = {"file:///tmp"};
  const auto call = plan(params, handles);
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->follows_entries);
}

}  // namespace
}  // namespace outpost::local
