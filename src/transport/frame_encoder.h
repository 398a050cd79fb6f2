#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transport/frame_codec.h"

/// The sending half of RFC 6455, 5: a frame is its header, written here, and its payload, written by the caller behind
/// it. Messages are never fragmented. `Role` is the sender's own; a client must mask with a fresh random key (5.3).
namespace outpost::transport {

/// The longest header, fixed by RFC 6455, 5.2: two bytes, a length of eight, a key of four.
inline constexpr std::size_t frame_header_bytes_max = 14;

/// Size of the header in front of a payload of `payload_bytes`: 2, 4 or 10, and 4 more for a client.
constexpr std::size_t frame_header_size(Role role, std::uint64_t payload_bytes) {
  const std::size_t length_bytes = payload_bytes < 126 ? 0 : payload_bytes < 65536 ? 2 : 8;
  return 2 + length_bytes + (role == Role::client ? 4 : 0);
}

/// Writes the header of a whole (final) frame to `out`, which has room for `frame_header_size` bytes, and returns the
/// place behind it. `mask_key` is used by a client only, its bytes in the order of memory; the payload is then to be
/// masked by `apply_mask` with the same key.
char* write_frame_header(char* out, Role role, Opcode opcode, std::uint64_t payload_bytes, std::uint32_t mask_key);

/// Masks or unmasks `data` in place (5.3); `key` has its bytes in the order of memory. For a payload in portions use
/// the key that the portion before returned: it begins with the byte that is next.
std::uint32_t apply_mask(std::span<char> data, std::uint32_t key);

/// The same from `in` to `out`, which has room for as many bytes and overlaps `in` not at all or exactly.
std::uint32_t copy_masked(char* out, std::string_view in, std::uint32_t key);

/// The payload of a close frame (5.5.1). `reason` must be UTF-8; it is cut, at the end of a character, to the 123
/// bytes that fit. `close_code::none` gives the empty payload.
std::string close_payload(std::uint16_t code, std::string_view reason);

/// A whole control frame of a server or client, at most 125 bytes of payload (the rest is cut off), ready to be sent.
std::string control_frame(Role role, Opcode opcode, std::string_view payload, std::uint32_t mask_key);

}  // namespace outpost::transport
