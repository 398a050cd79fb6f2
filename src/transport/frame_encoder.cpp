#include "transport/frame_encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/limits/messages.h"

namespace outpost::transport {
namespace {

// Fixed by RFC 6455, 5.5.1: the code takes two bytes.
constexpr std::size_t close_reason_bytes_max = limits::control_frame_bytes_max - 2;

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

}  // namespace

char* write_frame_header(char* out, Role role, Opcode opcode, std::uint64_t payload_bytes, std::uint32_t mask_key) {
  const unsigned mask_bit = role == Role::client ? 0x80 : 0;
  const unsigned length_code =
      payload_bytes < 126 ? static_cast<unsigned>(payload_bytes) : (payload_bytes < 65536 ? 126 : 127);
  const unsigned length_bytes = length_code < 126 ? 0 : (length_code == 126 ? 2 : 8);
  *out++ = static_cast<char>(0x80U | static_cast<unsigned>(opcode));
  *out++ = static_cast<char>(mask_bit | length_code);
  for (unsigned i = length_bytes; i-- > 0;) *out++ = static_cast<char>(payload_bytes >> (8 * i) & 0xff);
  if (mask_bit != 0) {
    std::memcpy(out, &mask_key, sizeof(mask_key));
    out += sizeof(mask_key);
  }
  return out;
}

std::uint32_t copy_masked(char* out, std::string_view in, std::uint32_t key) {
  constexpr std::size_t block_words = 4;
  constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  constexpr std::size_t block_bytes = block_words * word_bytes;
  const std::uint64_t wide_key = static_cast<std::uint64_t>(key) << 32 | key;
  std::size_t done = 0;
  // A block is read whole before it is written, so that `out` may be `in` and the compiler still makes vectors of it.
  for (; done + block_bytes <= in.size(); done += block_bytes) {
    std::array<std::uint64_t, block_words> block;
    std::memcpy(block.data(), in.data() + done, block_bytes);
    for (auto& word : block) word ^= wide_key;
    std::memcpy(out + done, block.data(), block_bytes);
  }
  for (; done + word_bytes <= in.size(); done += word_bytes) {
    std::uint64_t word;
    std::memcpy(&word, in.data() + done, word_bytes);
    word ^= wide_key;
    std::memcpy(out + done, &word, word_bytes);
  }
  std::array<char, sizeof(key)> key_bytes;
  std::memcpy(key_bytes.data(), &key, sizeof(key));
  for (; done < in.size(); ++done) out[done] = static_cast<char>(in[done] ^ key_bytes[done % sizeof(key)]);

  const int turn = 8 * static_cast<int>(in.size() % sizeof(key));
  return std::endian::native == std::endian::little ? std::rotr(key, turn) : std::rotl(key, turn);
}

std::uint32_t apply_mask(std::span<char> data, std::uint32_t key) {
  return copy_masked(data.data(), {data.data(), data.size()}, key);
}

std::string close_payload(std::uint16_t code, std::string_view reason) {
  if (code == close_code::none) return {};
  std::size_t size = std::min(reason.size(), close_reason_bytes_max);
  if (size < reason.size()) {
    while (size > 0 && continues_character(reason[size])) --size;
  }
  std::string payload;
  payload.reserve(2 + size);
  payload.push_back(static_cast<char>(code >> 8));
  payload.push_back(static_cast<char>(code & 0xff));
  payload.append(reason.substr(0, size));
  return payload;
}

std::string control_frame(Role role, Opcode opcode, std::string_view payload, std::uint32_t mask_key) {
  const auto sent = payload.substr(0, limits::control_frame_bytes_max);
  std::string frame(frame_header_size(role, sent.size()) + sent.size(), '\0');
  char* place = write_frame_header(frame.data(), role, opcode, sent.size(), mask_key);
  copy_masked(place, sent, role == Role::client ? mask_key : 0);
  return frame;
}

}  // namespace outpost::transport
