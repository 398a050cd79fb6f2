#include "crypto/digest.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hex.h"

namespace outpost::crypto {
namespace {

// FIPS 180-4 example vectors, and the messages around the length of one block, whose padding spills into a second one.
TEST(Sha1, MatchesTheStandardsExamples) {
  EXPECT_EQ(to_hex(sha1(as_bytes("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(sha1({})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(to_hex(sha1(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(to_hex(sha256(as_bytes("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(as_bytes(std::string(1000000, 'a')))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, SaysTheSameForEveryCut) {
  std::string text;
  for (int i = 0; i < 200; ++i) text.push_back(static_cast<char>(i));
  const auto whole = sha256(as_bytes(text));
  Sha256 sum;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    sum.update(as_bytes(text).first(cut));
    sum.update(as_bytes(text).subspan(cut));
    ASSERT_EQ(sum.finish(), whole) << "cut at " << cut;
  }
}

TEST(EqualConstantTime, ComparesContentsAndSize) {
  EXPECT_TRUE(equal_constant_time(as_bytes("secret"), as_bytes("secret")));
  EXPECT_TRUE(equal_constant_time({}, {}));
  EXPECT_FALSE(equal_constant_time(as_bytes("secret"), as_bytes("Secret")));
  EXPECT_FALSE(equal_constant_time(as_bytes("secret"), as_bytes("secreT")));
  EXPECT_FALSE(equal_constant_time(as_bytes("secret"), as_bytes("secre")));
  EXPECT_FALSE(equal_constant_time(as_bytes(""), as_bytes("s")));
}

}  // namespace
}  // namespace outpost::crypto
