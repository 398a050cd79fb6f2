#pragma once

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string>

#include "os/socket.h"

namespace outpost::testing {

/// A certificate that signs itself, made for a test.
struct TestCertificate {
  std::string certificate, key;  ///< PEM

  /// `password`: the key is encrypted with it.
  static TestCertificate make(const std::string& name, const char* password = nullptr) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(certificate, subject);
    EXPECT_NE(X509_sign(certificate, key, EVP_sha256()), 0);
    TestCertificate made;
    made.certificate = pem([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
    made.key = pem([&](BIO* out) {
      PEM_write_bio_PrivateKey(out, key, password != nullptr ? EVP_aes_256_cbc() : nullptr, nullptr, 0, nullptr,
                               const_cast<char*>(password));
    });
    X509_free(certificate);
    EVP_PKEY_free(key);
    return made;
  }
  /// Puts both where a server reads them, each in one step.
  void write_to(const std::string& certificate_path, const std::string& key_path) const {
    put(certificate_path, certificate);
    put(key_path, key);
  }

 private:
  template <class Write>
  static std::string pem(Write write) {
    BIO* out = BIO_new(BIO_s_mem());
    write(out);
    char* data = nullptr;
    const long size = BIO_get_mem_data(out, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(out);
    return text;
  }
  static void put(const std::string& path, const std::string& text) {
    std::ofstream(path + ".new") << text;
    EXPECT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
  }
};

/// The client's end of TLS, which trusts everybody; `step` does what can be done without waiting.
class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, int version_max = 0)
      : socket_(*os::connect_tcp("127.0.0.1", port)), context_(SSL_CTX_new(TLS_client_method())) {
    // A client that would speak the oldest versions, too.
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_cipher_list(context_.get(), "ALL:@SECLEVEL=0");
    SSL_CTX_set_max_proto_version(context_.get(), version_max);
    SSL_CTX_set_mode(context_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), socket_.get());
    SSL_set_connect_state(session_.get());
  }

  void say(std::string_view text) { to_say_ += text; }
  void step() {
    if (ended) return;
    ERR_clear_error();
    if (!connected) {
      connected = check(SSL_do_handshake(session_.get())) > 0;
      if (!connected) return;
    }
    if (!to_say_.empty()) {
      const int said = check(SSL_write(session_.get(), to_say_.data(), static_cast<int>(to_say_.size())));
      if (said > 0) to_say_.erase(0, static_cast<std::size_t>(said));
    }
    std::array<char, 16384> buffer;
    int got = 0;
    while (reads && (got = check(SSL_read(session_.get(), buffer.data(), buffer.size()))) > 0) {
      heard.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  /// Steps, and waits in between, until `happened`; false if the other side has ended the connection before.
  template <class Happened>
  bool wait_until(Happened happened) {
    while (step(), !happened()) {
      if (ended) return false;
      const short events = static_cast<short>(to_say_.empty() || !connected ? POLLIN : POLLIN | POLLOUT);
      pollfd entry{.fd = socket_.get(), .events = events, .revents = 0};
      if (::poll(&entry, 1, 60'000) != 1) {
        ADD_FAILURE() << "nothing came";
        return false;
      }
    }
    return true;
  }
  /// The name that the other side's certificate bears.
  std::string peer_name() const {
    X509* certificate = SSL_get1_peer_certificate(session_.get());
    std::array<char, 256> name{};
    if (certificate != nullptr) {
      X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(), name.size());
    }
    X509_free(certificate);
    return name.data();
  }
  int version() const { return SSL_version(session_.get()); }
  bool said_all() const { return to_say_.empty(); }

  std::string heard;
  bool connected = false;
  bool ended = false;  ///< or failed
  bool reads = true;   ///< false: what the other side sends piles up

 private:
  int check(int result) {
    if (result > 0) return result;
    const int error = SSL_get_error(session_.get(), result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
      // The connection may not stand yet.
      ended = !(error == SSL_ERROR_SYSCALL && errno == ENOTCONN);
    }
    return result;
  }
  template <auto free>
  struct Free {
    template <class T>
    void operator()(T* object) const {
      free(object);
    }
  };
  os::FileDescriptor socket_;
  std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>> context_;
  std::unique_ptr<SSL, Free<SSL_free>> session_;
  std::string to_say_;
};

}  // namespace outpost::testing
