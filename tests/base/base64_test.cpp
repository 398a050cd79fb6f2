#include "base/base64.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/base64_avx2.h"

namespace outpost {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Another way to the same end, bit by bit.
std::string encode_by_bits(ByteView in) {
  std::string text;
  for (std::size_t bit = 0; bit < in.size() * 8; bit += 6) {
    std::size_t value = 0;
    for (std::size_t i = bit; i < bit + 6; ++i) {
      const bool set = i / 8 < in.size() && (std::to_integer<unsigned>(in[i / 8]) >> (7 - i % 8) & 1) != 0;
      value = value * 2 + (set ? 1 : 0);
    }
    text.push_back(alphabet[value]);
  }
  while (text.size() % 4 != 0) text.push_back('=');
  return text;
}

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(size));
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

using Decoder = Result<std::size_t> (*)(std::string_view, std::byte*);

std::string outcome(const Result<std::size_t>& size, const Bytes& bytes) {
  if (!size) return (size.error().kind == ErrorKind::invalid_params ? "refused: " : "other: ") + size.error().message;
  return "bytes: " + std::string(as_text(bytes.view().first(*size)));
}

std::string outcome_of(Decoder decoder, std::string_view text) {
  Bytes bytes(base64::decoded_size_max(text.size()));
  const auto size = decoder(text, bytes.data());
  return outcome(size, bytes);
}

std::string error_of(std::string_view text) {
  const std::string scalar = outcome_of(base64::detail::decode_scalar, text);
  EXPECT_EQ(outcome_of(base64::decode, text), scalar) << text;
  return scalar;
}

struct Vector {
  std::string_view bytes;
  std::string_view text;
};
constexpr Vector rfc_4648_vectors[] = {{"", ""},
                                       {"f", "Zg=="},
                                       {"fo", "Zm8="},
                                       {"foo", "Zm9v"},
                                       {"foob", "Zm9vYg=="},
                                       {"fooba", "Zm9vYmE="},
                                       {"foobar", "Zm9vYmFy"}};

TEST(Base64, VectorsOfTheRfc) {
  for (const Vector& vector : rfc_4648_vectors) {
    EXPECT_EQ(base64::encode(as_bytes(vector.bytes)), vector.text);
    const auto bytes = base64::decode(vector.text);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(as_text(bytes->view()), vector.bytes);
  }
}

TEST(Base64, SizesAreExact) {
  for (std::size_t size = 0; size < 10; ++size) {
    EXPECT_EQ(base64::encoded_size(size), encode_by_bits(random_bytes(size)).size());
    EXPECT_EQ(base64::decoded_size_max(base64::encoded_size(size)), (size + 2) / 3 * 3);
  }
}

TEST(Base64, EveryLengthGoesBothWaysOnBothPaths) {
  for (std::size_t size = 0; size <= 600; ++size) {
    const auto bytes = random_bytes(size);
    const std::string text = encode_by_bits(bytes);
    ASSERT_EQ(base64::encode(bytes), text) << size;
    std::string scalar(text.size(), '\0');
    base64::detail::encode_scalar(bytes, scalar.data());
    ASSERT_EQ(scalar, text) << size;
    const std::string expected = "bytes: " + std::string(as_text(bytes));
    ASSERT_EQ(outcome_of(base64::decode, text), expected) << size;
    ASSERT_EQ(outcome_of(base64::detail::decode_scalar, text), expected) << size;
  }
}

TEST(Base64, EverySymbolAtEveryPlaceOfABlock) {
  for (std::size_t shift = 0; shift < alphabet.size(); ++shift) {
    std::string text;
    for (std::size_t i = 0; i < 256; ++i) text.push_back(alphabet[(i + shift) % alphabet.size()]);
    const auto bytes = base64::decode(text);
    ASSERT_TRUE(bytes) << bytes.error().message;
    ASSERT_EQ(encode_by_bits(bytes->view()), text);
    ASSERT_EQ(base64::encode(bytes->view()), text);
  }
}

TEST(Base64, WritesNothingBehindItsRoom) {
  constexpr auto guard = std::byte{0x5a};
  for (std::size_t size = 0; size <= 300; ++size) {
    const auto bytes = random_bytes(size);
    std::vector<std::byte> text(base64::encoded_size(size) + 64, guard);
    base64::encode(bytes, reinterpret_cast<char*>(text.data()));
    for (std::size_t i = base64::encoded_size(size); i < text.size(); ++i) ASSERT_EQ(text[i], guard) << size;

    const std::size_t room = base64::decoded_size_max(base64::encoded_size(size));
    std::vector<std::byte> decoded(room + 64, guard);
    ASSERT_EQ(base64::decode(as_text(text).substr(0, base64::encoded_size(size)), decoded.data()), size);
    for (std::size_t i = room; i < decoded.size(); ++i) ASSERT_EQ(decoded[i], guard) << size;
  }
}

TEST(Base64, DecodesIntoItsOwnText) {
  for (std::size_t size = 0; size <= 600; ++size) {
    const auto bytes = random_bytes(size);
    for (const Decoder decoder : {Decoder{base64::decode}, Decoder{base64::detail::decode_scalar}}) {
      std::string text = encode_by_bits(bytes);
      const auto decoded = decoder(text, reinterpret_cast<std::byte*>(text.data()));
      ASSERT_TRUE(decoded) << size << ": " << decoded.error().message;
      ASSERT_EQ(text.substr(0, *decoded), as_text(bytes)) << size;
    }
  }
}

TEST(Base64, NamesTheBadSymbolInItsOwnTextToo) {
  const std::string good = encode_by_bits(random_bytes(300));
  for (std::size_t place = 0; place < good.size(); ++place) {
    std::string text = good;
    text[place] = '-';
    const auto decoded = base64::decode(text, reinterpret_cast<std::byte*>(text.data()));
    ASSERT_FALSE(decoded);
    ASSERT_EQ(decoded.error().message, "Invalid symbol 45, offset " + std::to_string(place) + ".");
  }
}

TEST(Base64, EveryByteAtEveryPlaceIsJudged) {
  const std::string good = encode_by_bits(random_bytes(180));
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (int value = 0; value < 256; ++value) {
      std::string text = good;
      text[place] = static_cast<char>(value);
      const std::string scalar = outcome_of(base64::detail::decode_scalar, text);
      ASSERT_EQ(outcome_of(base64::decode, text), scalar) << place << " " << value;
      const bool is_symbol = alphabet.contains(text[place]) || (value == '=' && place + 1 == good.size());
      if (!is_symbol) {
        ASSERT_EQ(scalar,
                  "refused: Invalid symbol " + std::to_string(value) + ", offset " + std::to_string(place) + ".");
      } else if (value != '=') {
        ASSERT_TRUE(scalar.starts_with("bytes: ")) << scalar;
      }
    }
  }
}

TEST(Base64, EveryPrefixIsJudgedAlikeOnBothPaths) {
  const std::string good = encode_by_bits(random_bytes(200));
  for (std::size_t size = 0; size <= good.size(); ++size) {
    const std::string judged = error_of(std::string_view(good).substr(0, size));
    const bool whole = size % 4 == 0;
    EXPECT_EQ(judged.starts_with("bytes: "), whole) << size << " " << judged;
  }
}

struct Refusal {
  std::string_view text;
  std::string_view message;
};
// What the reference answers to process/write.
constexpr Refusal refusals[] = {
    {"#", "Invalid symbol 35, offset 0."},
    {"#AAA", "Invalid symbol 35, offset 0."},
    {"AAA#", "Invalid symbol 35, offset 3."},
    {"A", "Invalid input length: 1"},
    {"AAAAA", "Invalid input length: 5"},
    {"AA", "Invalid padding"},
    {"AAA", "Invalid padding"},
    {"AA=", "Invalid padding"},
    {"AB=", "Invalid padding"},
    {"AAAAAA", "Invalid padding"},
    {"A===", "Invalid symbol 61, offset 1."},
    {"A=#=", "Invalid symbol 61, offset 1."},
    {"A#==", "Invalid symbol 35, offset 1."},
    {"AB==", "Invalid last symbol 66, offset 1."},
    {"AAB=", "Invalid last symbol 66, offset 2."},
    {"AAAAAB==", "Invalid last symbol 66, offset 5."},
    {"AA=A", "Invalid symbol 61, offset 2."},
    {"AA=#", "Invalid symbol 61, offset 2."},
    {"AA#=", "Invalid symbol 35, offset 2."},
    {"=", "Invalid symbol 61, offset 0."},
    {"====", "Invalid symbol 61, offset 0."},
    {"AAAA=", "Invalid symbol 61, offset 4."},
    {"AAAA====", "Invalid symbol 61, offset 4."},
    {"AA==AAAA", "Invalid symbol 61, offset 2."},
    {"AA==A", "Invalid symbol 61, offset 2."},
    {"AA==\n", "Invalid symbol 10, offset 4."},
    {"#AAA\n", "Invalid symbol 10, offset 4."},
    {"AA\n=", "Invalid symbol 10, offset 2."},
    {"-_AA", "Invalid symbol 45, offset 0."},
    {"AAAA AAAA", "Invalid symbol 32, offset 4."},
    {"A\xC3\xA9", "Invalid symbol 195, offset 1."},
    {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA#AAAAAAAAAAA=AAAA", "Invalid symbol 35, offset 51."},
};

TEST(Base64, RefusesWithTheTextsOfTheWire) {
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(error_of(refusal.text), "refused: " + std::string(refusal.message)) << refusal.text;
  }
}

TEST(Base64, VectorPathIsTakenWhereThereIsOne) {
  if (!base64::detail::avx2_available()) GTEST_SKIP() << "no AVX2";
  const auto bytes = random_bytes(240);
  std::string text(base64::encoded_size(bytes.size()), '\0');
  EXPECT_GE(base64::detail::encode_avx2(bytes, text.data()), 9U * 24);
  text = encode_by_bits(bytes);
  Bytes decoded(base64::decoded_size_max(text.size()));
  EXPECT_GE(base64::detail::decode_avx2(text, decoded.data()), 9U * 32);
  text[70] = '-';
  EXPECT_EQ(base64::detail::decode_avx2(text, decoded.data()), 2U * 32);
}

}  // namespace
}  // namespace outpost
