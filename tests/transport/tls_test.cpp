#include <gmock/gmock.h>

#include "support/temporary_folder.h"
#include "support/tls_client.h"
#include "transport/listener_fixture.h"
#include "transport/tls_server.h"

namespace outpost::transport::test {
namespace {

using outpost::testing::TemporaryFolder;
using outpost::testing::TestCertificate;
using outpost::testing::TlsClient;
using ::testing::HasSubstr;
using ::testing::Not;

class TlsTest : public ListenerTest {
 protected:
  TlsTest() {
    certificate_.write_to(files_.certificate, files_.key);
    tls_ = std::move(*TlsServer::load(files_));
  }
  void listen_with_tls(PendingConnections::Settings settings = {}) {
    listen(settings, {}, {.tls = tls_.get(), .unix_url = {}});
  }
  template <class Happened>
  bool until(TlsClient& client, Happened happened) {
    return run_until(loop_, [&] {
      client.step();
      return happened();
    });
  }
  /// A client behind its upgrade, and the stream on the server's side.
  std::unique_ptr<TlsClient> open(int version = 0) {
    auto client = std::make_unique<TlsClient>(port_, version);
    client->say(upgrade_request());
    const std::size_t before = upgraded_.size();
    EXPECT_TRUE(until(*client, [&] { return upgraded_.size() > before && client->heard.ends_with("\r\n\r\n"); }));
    EXPECT_THAT(client->heard, HasSubstr("HTTP/1.1 101"));
    client->heard.clear();
    return client;
  }
  std::string load_error(const TlsServer::Files& files) {
    const auto loaded = TlsServer::load(files);
    return loaded ? "none" : loaded.error().message;
  }

  TemporaryFolder folder_;
  TlsServer::Files files_{folder_.path("cert.pem"), folder_.path("key.pem")};
  TestCertificate certificate_ = TestCertificate::make("first");
  std::unique_ptr<TlsServer> tls_;
};

TEST_F(TlsTest, AWebsocketIsOpenedOverIt) {
  listen_with_tls();
  const auto client = open();
  EXPECT_EQ(client->peer_name(), "first");
  EXPECT_EQ(upgraded_[0].subject, "anonymous");
  EXPECT_EQ(pending_->size(), 0u);
  EXPECT_EQ(upgraded_[0].stream->write(as_bytes("hello")).bytes, 5u);
  EXPECT_TRUE(until(*client, [&] { return client->heard == "hello"; }));
  upgraded_.clear();
  EXPECT_TRUE(until(*client, [&] { return client->ended; }));
}

TEST_F(TlsTest, VersionsBelow12AreRefused) {
  listen_with_tls();
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    TlsClient old(port_, version);
    EXPECT_TRUE(until(old, [&] { return old.ended; }));
    EXPECT_FALSE(old.connected);
  }
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) EXPECT_EQ(open(version)->version(), version);
}

TEST_F(TlsTest, AHandshakeThatFailsEndsThatConnectionOnly) {
  listen_with_tls();
  const auto good = open();
  PlainClient& plain = connect();
  plain.say("GET /readyz HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(until_ended(plain));
  EXPECT_THAT(plain.heard, Not(HasSubstr("HTTP")));
  EXPECT_EQ(pending_->size(), 0u);
  EXPECT_EQ(upgraded_[0].stream->write(as_bytes("still")).bytes, 5u);
  EXPECT_TRUE(until(*good, [&] { return good->heard == "still"; }));
  open();
}

TEST_F(TlsTest, AHandshakeIsPendingAndHasItsTime) {
  listen_with_tls({.handshake_timeout = std::chrono::milliseconds(50)});
  PlainClient& silent = connect();
  ASSERT_TRUE(until_ended(silent));
  // Half of a handshake record.
  PlainClient& slow = connect();
  slow.say(std::string("\x16\x03\x01\x02\x00", 5));
  ASSERT_TRUE(until_ended(slow));
  EXPECT_EQ(pending_->size(), 0u);
}

TEST_F(TlsTest, TheOldestHandshakeMakesRoom) {
  listen_with_tls({.pending_max = 2});
  PlainClient& first = connect();
  connect();
  connect();
  ASSERT_TRUE(until_ended(first));
  EXPECT_EQ(pending_->size(), 2u);
}

TEST_F(TlsTest, NewConnectionsGetANewCertificateAndOldOnesLiveOn) {
  listen_with_tls();
  const auto old = open();
  TestCertificate::make("second").write_to(files_.certificate, files_.key);
  EXPECT_EQ(open()->peer_name(), "first") << "nothing is read before it is asked for";
  ASSERT_TRUE(tls_->reload());
  EXPECT_EQ(open()->peer_name(), "second");
  EXPECT_EQ(upgraded_[0].stream->write(as_bytes("still")).bytes, 5u);
  EXPECT_TRUE(until(*old, [&] { return old->heard == "still"; }));
}

TEST_F(TlsTest, AReloadThatFailsChangesNothing) {
  listen_with_tls();
  folder_.file("key.pem", "no key");
  const auto reloaded = tls_->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_THAT(reloaded.error().message, HasSubstr(files_.key));
  EXPECT_EQ(open()->peer_name(), "first");
}

TEST_F(TlsTest, FilesThatCannotBeUsedAreNamedAndNothingOfThemIsTold) {
  const TlsServer::Files none{folder_.path("none"), files_.key};
  EXPECT_EQ(load_error(none),
            "cannot use the TLS certificate " + none.certificate + ": No such file or directory (os error 2)");
  const auto broken = folder_.file("broken", "secret words");
  EXPECT_THAT(load_error({broken, files_.key}), HasSubstr("cannot use the TLS certificate " + broken + ": "));
  EXPECT_THAT(load_error({files_.certificate, broken}), HasSubstr("cannot use the TLS key " + broken + ": "));
  EXPECT_THAT(load_error({files_.certificate, broken}), Not(HasSubstr("secret words")));
  const auto other = folder_.file("other", TestCertificate::make("other").key);
  EXPECT_THAT(load_error({files_.certificate, other}), HasSubstr("key values mismatch"));
  const auto locked = folder_.file("locked", TestCertificate::make("other", "password").key);
  EXPECT_THAT(load_error({files_.certificate, locked}), HasSubstr("cannot use the TLS key " + locked + ": "));
}

/// Reads all that comes in portions of `portion`, as a channel does: one read, then a wait.
struct Reader {
  Reader(ByteStream& the_stream, std::size_t portion) : stream(the_stream), buffer(portion) {
    EXPECT_TRUE(stream.bind([this] { turn(); }, [] {}));
    stream.wait_readable();
  }
  void turn() {
    const os::IoCount count = stream.read(std::as_writable_bytes(std::span(buffer)));
    if (count.status == os::IoCount::ok) text.append(buffer.data(), count.bytes);
    over = count.status != os::IoCount::ok && count.status != os::IoCount::would_block;
    if (!over) stream.wait_readable();
  }
  ByteStream& stream;
  std::vector<char> buffer;
  std::string text;
  bool over = false;
};

TEST_F(TlsTest, WhatWasDecryptedAheadOfAReadIsNotForgotten) {
  listen_with_tls();
  const auto client = open();
  Reader reader(*upgraded_[0].stream, 100);
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i) text += std::to_string(i) + " ";
  client->say(text);
  EXPECT_TRUE(until(*client, [&] { return reader.text.size() == text.size(); }));
  EXPECT_EQ(reader.text, text);
  EXPECT_FALSE(reader.over);
}

TEST_F(TlsTest, TheEndComesBehindTheLastBytes) {
  listen_with_tls();
  auto client = open();
  Reader reader(*upgraded_[0].stream, 1'000'000);
  client->say("last words");
  client->step();
  ASSERT_TRUE(client->said_all());
  client.reset();
  EXPECT_TRUE(run_until(loop_, [&] { return reader.over; }));
  EXPECT_EQ(reader.text, "last words");
}

TEST_F(TlsTest, AWriterThatWasBlockedGoesOn) {
  listen_with_tls();
  const auto client = open();
  client->reads = false;
  ByteStream& stream = *upgraded_[0].stream;
  std::string text;
  for (int i = 0; text.size() < 20'000'000; ++i) text += std::to_string(i) + " ";
  std::size_t written = 0;
  int blocked = 0;
  std::function<void()> write = [&] {
    while (written < text.size()) {
      // Other memory each time, as that of a buffer that grew.
      const std::string rest = text.substr(written, 200'000);
      const os::IoCount count = stream.write(as_bytes(rest));
      if (count.status == os::IoCount::would_block) {
        ++blocked;
        return stream.wait_writable();
      }
      ASSERT_EQ(count.status, os::IoCount::ok);
      written += count.bytes;
    }
  };
  ASSERT_TRUE(stream.bind([] {}, [&] { write(); }));
  write();
  EXPECT_GT(blocked, 0);
  client->reads = true;
  EXPECT_TRUE(until(*client, [&] { return client->heard.size() >= text.size(); }));
  EXPECT_EQ(client->heard, text);
}

}  // namespace
}  // namespace outpost::transport::test
