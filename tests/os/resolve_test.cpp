#include "os/resolve.h"

#include <gmock/gmock.h>

namespace outpost::os {
namespace {

using ::testing::ElementsAre;

TEST(Resolve, ALiteralAddressIsItsOwn) {
  EXPECT_THAT(resolve_host("127.0.0.1").value(), ElementsAre("127.0.0.1"));
  EXPECT_THAT(resolve_host("::1").value(), ElementsAre("::1"));
}

TEST(Resolve, AScopeBecomesItsNumber) {
  EXPECT_THAT(resolve_host("fe80::1%lo").value(), ElementsAre("fe80::1%1"));
  EXPECT_THAT(resolve_host("fe80::1%1").value(), ElementsAre("fe80::1%1"));
}

TEST(Resolve, LocalhostNeedsNoFile) {
  EXPECT_THAT(resolve_host("localhost").value(), ElementsAre("127.0.0.1", "::1"));
  EXPECT_THAT(resolve_host("x.localhost").value(), ElementsAre("127.0.0.1", "::1"));
}

TEST(Resolve, WhatIsNoHostIsAnErrorThatNamesIt) {
  for (const std::string host : {"fe80::1%no-such-if", "name.invalid"}) {
    const auto addresses = resolve_host(host);
    ASSERT_FALSE(addresses) << host;
    EXPECT_TRUE(addresses.error().message.starts_with("cannot resolve " + host + ": ")) << addresses.error().message;
  }
}

}  // namespace
}  // namespace outpost::os
