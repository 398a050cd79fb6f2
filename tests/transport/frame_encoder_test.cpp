#include "transport/frame_encoder.h"

#include <gtest/gtest.h>

#include "transport/frame_events.h"

namespace outpost::transport::test {
namespace {

std::string encode(Role role, Opcode opcode, std::string_view payload, std::uint32_t key) {
  std::string frame(frame_header_size(role, payload.size()) + payload.size(), '\0');
  char* place = write_frame_header(frame.data(), role, opcode, payload.size(), key);
  copy_masked(place, payload, role == Role::client ? key : 0);
  EXPECT_EQ(place + payload.size(), frame.data() + frame.size());
  return frame;
}

TEST(FrameEncoder, WritesEveryFormOfLength) {
  for (const std::size_t size : {0U, 1U, 125U, 126U, 127U, 65535U, 65536U, 70000U}) {
    const std::string payload(size, 'a');
    EXPECT_EQ(encode(Role::server, Opcode::text, payload, 0), make_frame(Role::server, 1, payload)) << size;
    EXPECT_EQ(encode(Role::client, Opcode::binary, payload, 0x44332211), make_frame(Role::client, 2, payload)) << size;
  }
}

TEST(FrameEncoder, WritesLengthsOfManyGigabytes) {
  std::string head(frame_header_bytes_max, '\0');
  char* end = write_frame_header(head.data(), Role::server, Opcode::binary, 0x0123456789abcdefULL, 0);
  EXPECT_EQ(std::string(head.data(), end), "\x82\x7f\x01\x23\x45\x67\x89\xab\xcd\xef");
}

std::string masked_slowly(std::string_view data, std::string_view key_bytes) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); ++i) out.push_back(static_cast<char>(data[i] ^ key_bytes[i % 4]));
  return out;
}

std::string counted_bytes(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 7 + 3));
  return bytes;
}

TEST(FrameMask, IsTheSameForEverySizeAndPlace) {
  const std::uint32_t key = 0xd4c3b2a1;
  const std::string key_bytes(reinterpret_cast<const char*>(&key), sizeof(key));
  for (std::size_t size = 0; size <= 100; ++size) {
    for (std::size_t place = 0; place < 9; ++place) {
      std::string memory = counted_bytes(place + size + 1);
      const std::string expected = masked_slowly(std::string_view(memory).substr(place, size), key_bytes);
      const std::string copy_source = memory.substr(place, size);
      apply_mask(std::span(memory).subspan(place, size), key);
      ASSERT_EQ(memory.substr(place, size), expected) << size << " bytes at " << place;
      ASSERT_EQ(memory.back(), counted_bytes(place + size + 1).back()) << "written past the end";
      std::string copy(size, '\0');
      copy_masked(copy.data(), copy_source, key);
      ASSERT_EQ(copy, expected);
    }
  }
}

TEST(FrameMask, GoesOnWithTheKeyItReturned) {
  const std::uint32_t key = 0x01020408;
  std::string whole = counted_bytes(97);
  std::string parts = whole;
  apply_mask(whole, key);
  std::uint32_t next_key = key;
  std::size_t done = 0;
  for (std::size_t size = 0; done + size <= parts.size(); ++size) {
    next_key = apply_mask(std::span(parts).subspan(done, size), next_key);
    done += size;
  }
  apply_mask(std::span(parts).subspan(done), next_key);
  EXPECT_EQ(parts, whole);
}

TEST(ClosePayload, HoldsCodeAndReason) {
  EXPECT_EQ(close_payload(1009, "big"), std::string("\x03\xf1") + "big");
  EXPECT_EQ(close_payload(close_code::none, "ignored"), "");
}

TEST(ClosePayload, CutsTheReasonBetweenCharacters) {
  EXPECT_EQ(close_payload(1000, std::string(123, 'x')).size(), 125U);
  EXPECT_EQ(close_payload(1000, std::string(124, 'x')).size(), 125U);
  const auto cut = close_payload(1000, std::string(122, 'x') + "\xc3\xa4");
  EXPECT_EQ(cut, "\x03\xe8" + std::string(122, 'x'));
}

TEST(ControlFrame, IsReadByTheOtherSide) {
  const auto payload = close_payload(4001, "elsewhere");
  EXPECT_EQ(decode(Role::client, control_frame(Role::server, Opcode::close, payload, 0)).events.at(0),
            "close 4001 elsewhere");
  EXPECT_EQ(decode(Role::server, control_frame(Role::client, Opcode::pong, "p", 0x12345678)).events.at(0), "pong p");
}

TEST(ControlFrame, CutsItsPayloadAt125Bytes) {
  const auto frame = control_frame(Role::server, Opcode::ping, std::string(126, 'p'), 0);
  EXPECT_EQ(decode(Role::client, frame).events.at(0), "ping " + std::string(125, 'p'));
}

}  // namespace
}  // namespace outpost::transport::test
