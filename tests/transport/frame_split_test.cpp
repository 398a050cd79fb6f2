// However a stream of frames is cut into reads, the decoder says the same.
#include <gtest/gtest.h>

#include "transport/frame_events.h"

namespace outpost::transport::test {
namespace {

constexpr FrameLimits split_limits{.message_bytes_max = 200, .discarded_message_bytes_max = 300};

std::string masked(unsigned opcode, std::string_view payload, FrameShape shape = {}) {
  return make_frame(Role::client, opcode, payload, shape);
}

std::string fragmented() {
  return make_fragment(Role::client, 1, "gr\xc3", false) + masked(9, "ping") +
         make_fragment(Role::client, 0, "\xbc\xc3", false) + masked(10, "") +
         make_fragment(Role::client, 0,
                       "\x9f"
                       "e",
                       true);
}

/// Streams of a client: right ones, and one for each kind of error with something before and after it.
std::vector<std::string> streams() {
  const std::string before = masked(1, "before") + masked(2, std::string("\0\xff", 2));
  const std::string after = masked(1, "after");
  return {
      before + after + masked(1, ""),
      before + fragmented() + after,
      masked(1, std::string(130, 'm')) + masked(9, std::string(125, 'p')) + after,
      masked(1, "long form", {.length_bytes = 8}) + masked(2, "also", {.length_bytes = 2}) + after,
      before + masked(1, std::string(201, 'o')) + after,
      make_fragment(Role::client, 2, std::string(150, 'o'), false) + masked(9, "x") +
          make_fragment(Role::client, 0, std::string(60, 'o'), true) + after,
      before + masked(1, std::string(301, 'g')) + after,
      before + masked(8, std::string("\x03\xe9", 2) + "going") + after,
      before + make_fragment(Role::client, 1, "open", false) + masked(8, "") + after,
      before + masked(8, "1") + after,
      before + masked(8, "\x03\xe8\xc3") + after,
      before + masked(1, "x", {.reserved_bits = 4}) + after,
      before + masked(5, "x") + after,
      before + masked(1, "bare", {.wrong_mask = true}) + after,
      before + masked(0, "lost") + after,
      before + make_fragment(Role::client, 1, "a", false) + after,
      before + masked(9, "cut", {.final = false}) + after,
      before + masked(9, std::string(126, 'p')) + after,
      before + masked(1, "ok\xc3") + after,
      before + std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2\3\4", 14) + after,
  };
}

TEST(FrameSplit, EveryCutIntoTwoSaysTheSame) {
  for (const auto& stream : streams()) {
    const auto whole = decode(Role::server, stream, {}, split_limits);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      ASSERT_EQ(decode(Role::server, stream, {cut}, split_limits), whole) << "cut at " << cut;
    }
  }
}

TEST(FrameSplit, EveryCutIntoThreeSaysTheSame) {
  const std::string stream = fragmented() + masked(1, "x") +
                             masked(8,
                                    "\x03\xe8"
                                    "end");
  const auto whole = decode(Role::server, stream, {}, split_limits);
  ASSERT_EQ(whole.events.size(), 5U);
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = 0; first + second <= stream.size(); ++second) {
      ASSERT_EQ(decode(Role::server, stream, {first, second}, split_limits), whole) << first << " and " << second;
    }
  }
}

TEST(FrameSplit, SmallPortionsOfAnySizeSayTheSame) {
  for (const auto& stream : streams()) {
    const auto whole = decode(Role::server, stream, {}, split_limits);
    for (std::size_t portion = 1; portion <= 40; ++portion) {
      const std::vector<std::size_t> portions(stream.size() / portion, portion);
      ASSERT_EQ(decode(Role::server, stream, portions, split_limits), whole) << "portions of " << portion;
    }
  }
}

TEST(FrameSplit, EveryPrefixSaysTheBeginningOfTheWhole) {
  for (const auto& stream : streams()) {
    const auto whole = decode(Role::server, stream, {}, split_limits);
    for (std::size_t size = 0; size < stream.size(); ++size) {
      const auto part = decode(Role::server, stream.substr(0, size), {}, split_limits);
      ASSERT_LE(part.events.size(), whole.events.size());
      ASSERT_TRUE(std::equal(part.events.begin(), part.events.end(), whole.events.begin())) << "prefix of " << size;
      if (part.error_code != 0) ASSERT_EQ(part, whole) << "prefix of " << size;
    }
  }
}

}  // namespace
}  // namespace outpost::transport::test
