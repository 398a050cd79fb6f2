// Beast's own websocket stream as the judge of our codec, in both roles: the same bytes, the same messages, the same
// close codes. The frames come from a seed that every failure prints.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/beast/_experimental/test/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <random>

#include "transport/frame_events.h"
#include "transport/upgrade.h"

namespace outpost::transport::test {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

Role other(Role role) {
  return role == Role::server ? Role::client : Role::server;
}

std::string bytes_of(beast::string_view text) {
  return {text.data(), text.size()};
}

/// A Beast stream of one role after its opening handshake, with the wire in our hands.
class BeastPeer {
 public:
  explicit BeastPeer(Role role) : socket_(context_), far_(context_), stream_(std::move(socket_)) {
    stream_.next_layer().connect(far_);
    role == Role::server ? accept() : handshake();
    far_.clear();
  }

  /// Reads everything in `bytes`, then the end of the stream, and says what came out.
  Outcome read(const std::string& bytes, std::size_t read_bytes) {
    Outcome outcome;
    stream_.control_callback([&](websocket::frame_type type, beast::string_view payload) {
      if (type == websocket::frame_type::close) return;
      outcome.events.push_back((type == websocket::frame_type::ping ? "ping " : "pong ") + bytes_of(payload));
    });
    stream_.next_layer().read_size(read_bytes);
    stream_.next_layer().append(beast::string_view(bytes.data(), bytes.size()));
    stream_.next_layer().close_remote();
    beast::error_code error;
    while (true) {
      beast::flat_buffer message;
      stream_.read(message, error);
      if (error) break;
      const auto data = message.cdata();
      const std::string payload(static_cast<const char*>(data.data()), data.size());
      outcome.events.push_back((stream_.got_text() ? "text " : "binary ") + payload);
    }
    if (error == websocket::error::closed) {
      const auto& reason = stream_.reason();
      const int code = reason.code == websocket::close_code::none ? close_code::none : reason.code;
      outcome.events.push_back("close " + std::to_string(code) + " " + std::string(reason.reason.c_str()));
      outcome.closed = true;
    }
    return outcome;
  }

  /// What it wrote so far.
  std::string written() const { return bytes_of(far_.str()); }
  websocket::stream<beast::test::stream>& stream() { return stream_; }

 private:
  void accept() {
    far_.write_some(boost::asio::buffer(format_upgrade_request("x", "/", "dGhlIHNhbXBsZSBub25jZQ==", {}).value()));
    stream_.accept();
  }

  void handshake() {
    beast::error_code error = boost::asio::error::would_block;
    stream_.async_handshake("x", "/", [&](beast::error_code result) { error = result; });
    context_.poll();
    const auto request = parse_request_head(written());
    ASSERT_TRUE(request.has_value());
    const auto accept_key = accept_key_for(request->header("sec-websocket-key").value());
    far_.write_some(boost::asio::buffer(format_upgrade_answer(accept_key, {})));
    context_.restart();
    context_.poll();
    ASSERT_FALSE(error) << error.message();
  }

  boost::asio::io_context context_;
  beast::test::stream socket_;
  beast::test::stream far_;
  websocket::stream<beast::test::stream> stream_;
};

/// Frames of one sender, mostly right ones.
class FrameMaker {
 public:
  FrameMaker(Role sender, unsigned seed) : sender_(sender), random_(seed) {}

  std::string stream() {
    std::string bytes;
    for (unsigned i = below(12); i > 0; --i) bytes += below(20) == 0 ? wrong_frame() : right_frames();
    if (below(4) == 0) bytes += close_frame();
    if (below(4) == 0) bytes.resize(below(static_cast<unsigned>(bytes.size()) + 1));
    return bytes;
  }

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  /// Text with characters of every size. Lengths near the borders of the forms of length come often.
  std::string text() {
    static constexpr const char* characters[] = {"a", "\"", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x9a\x80"};
    static constexpr unsigned sizes[] = {0, 1, 7, 124, 125, 126, 127, 4096, 65533, 65536, 70000};
    const unsigned size = below(3) == 0 ? sizes[below(std::size(sizes))] : below(300);
    std::string text;
    while (text.size() < size) text += characters[below(std::size(characters))];
    return text;
  }

 private:
  std::string frame(unsigned opcode, std::string_view payload, FrameShape shape = {}) {
    shape.mask_key = static_cast<std::uint32_t>(random_());
    return make_frame(sender_, opcode, payload, shape);
  }

  std::string control_frame() { return frame(9 + below(2), std::string(below(126), 'c')); }

  std::string right_frames() {
    if (below(4) == 0) return control_frame();
    const unsigned opcode = 1 + below(2);
    std::string payload = text();
    if (below(2) == 0) return frame(opcode, payload);
    std::string bytes;
    unsigned next_opcode = opcode;
    for (unsigned fragments = below(4); fragments > 0; --fragments) {
      const unsigned size = below(static_cast<unsigned>(payload.size()) + 1);
      bytes += frame(std::exchange(next_opcode, 0), payload.substr(0, size), {.final = false});
      payload.erase(0, size);
      if (below(2) == 0) bytes += control_frame();
    }
    return bytes + frame(next_opcode, payload);
  }

  std::string wrong_frame() {
    switch (below(8)) {
      case 0:
        return frame(1 + below(2), "x", {.reserved_bits = 1 + below(7)});
      case 1:
        return frame(3 + below(5), "x");
      case 2:
        return frame(11 + below(5), "x");
      case 3:
        return frame(1, "x", {.wrong_mask = true});
      case 4:
        return frame(0, "x", {.final = below(2) == 0});
      case 5:
        return frame(9 + below(2), "x", {.final = false});
      case 6:
        return frame(9 + below(2), std::string(126 + below(100), 'x'));
      default:
        return frame(1, text() + (below(2) == 0 ? "\xed\xa0\x80" : "\xf0\x9f"));
    }
  }

  /// Codes that Beast and we judge alike: it takes 5000 and above, and refuses 1014.
  std::string close_frame() {
    static constexpr unsigned codes[] = {0,    999,  1000, 1001, 1003, 1004, 1005,
                                         1006, 1007, 1013, 1015, 2999, 3000, 4999};
    if (below(4) == 0) return frame(8, below(2) == 0 ? "" : "1");
    const unsigned code = codes[below(std::size(codes))];
    std::string payload = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
    payload += text().substr(0, below(100));
    return frame(8, payload);
  }

  Role sender_;
  std::mt19937 random_;
};

/// What our decoder makes of the same bytes, in random portions.
Outcome decode_in_portions(Role receiver, const std::string& bytes, FrameMaker& maker) {
  std::vector<std::size_t> portions;
  const unsigned portion_bytes_max = maker.below(3) == 0 ? 8 : 5000;
  for (std::size_t total = 0; total < bytes.size(); total += portions.back()) {
    portions.push_back(1 + maker.below(portion_bytes_max));
  }
  return decode(receiver, bytes, portions);
}

/// The pongs and the close code that Beast wrote, as the other side reads them.
Outcome answers_of(Role role, const BeastPeer& peer) {
  return decode(other(role), peer.written());
}

int close_code_of(const Outcome& answers) {
  if (answers.events.empty() || !answers.events.back().starts_with("close ")) return 0;
  return std::stoi(answers.events.back().substr(6));
}

class BeastOracle : public testing::TestWithParam<Role> {};

TEST_P(BeastOracle, FindsTheSameMessagesAndErrors) {
  int errors = 0;
  int closes = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FrameMaker maker(other(GetParam()), seed);
    const std::string bytes = maker.stream();
    BeastPeer peer(GetParam());
    const auto theirs = peer.read(bytes, maker.below(2) == 0 ? 3 : 4096);
    const auto ours = decode_in_portions(GetParam(), bytes, maker);
    ASSERT_EQ(ours.events, theirs.events);
    ASSERT_EQ(ours.closed, theirs.closed);
    const int their_code = theirs.closed ? 0 : close_code_of(answers_of(GetParam(), peer));
    ASSERT_EQ(ours.error_code, their_code);
    errors += ours.error_code != 0;
    closes += ours.closed;
  }
  EXPECT_GT(errors, 50);
  EXPECT_GT(closes, 25);
}

TEST_P(BeastOracle, WritesWhatWeRead) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FrameMaker maker(GetParam(), seed);
    BeastPeer peer(GetParam());
    peer.stream().write_buffer_bytes(64 + maker.below(10000));
    std::vector<std::string> expected;
    for (unsigned i = maker.below(8); i > 0; --i) {
      const std::string payload = maker.text();
      const bool binary = maker.below(2) == 0;
      peer.stream().auto_fragment(maker.below(2) == 0);
      peer.stream().binary(binary);
      peer.stream().write(boost::asio::buffer(payload));
      expected.push_back((binary ? "binary " : "text ") + payload);
    }
    peer.stream().ping("sign of life");
    expected.push_back("ping sign of life");
    const auto ours = decode_in_portions(other(GetParam()), peer.written(), maker);
    ASSERT_EQ(ours.events, expected);
    ASSERT_TRUE(ours.idle);
  }
}

TEST_P(BeastOracle, ReadsWhatWeWrite) {
  const Role writer = other(GetParam());
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FrameMaker maker(writer, seed);
    std::string bytes;
    std::vector<std::string> expected;
    for (unsigned i = maker.below(8); i > 0; --i) {
      const std::string payload = maker.text();
      const auto key = maker.below(UINT32_MAX);
      const std::size_t before = bytes.size();
      bytes.resize(before + frame_header_size(writer, payload.size()) + payload.size());
      char* place = write_frame_header(bytes.data() + before, writer, Opcode::text, payload.size(), key);
      copy_masked(place, payload, writer == Role::client ? key : 0);
      expected.push_back("text " + payload);
    }
    bytes += control_frame(writer, Opcode::ping, "p", maker.below(UINT32_MAX));
    bytes += control_frame(writer, Opcode::close, close_payload(1001, "going"), maker.below(UINT32_MAX));
    expected.insert(expected.end(), {"ping p", "close 1001 going"});
    BeastPeer peer(GetParam());
    ASSERT_EQ(peer.read(bytes, 4096).events, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Roles, BeastOracle, testing::Values(Role::server, Role::client),
                         [](const auto& info) { return info.param == Role::server ? "Server" : "Client"; });

}  // namespace
}  // namespace outpost::transport::test
