#include "transport/tls_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

#include "crypto/openssl.h"
#include "transport/tls_stream.h"

namespace outpost::transport {

namespace {

/// The innermost reason of OpenSSL's; it names no content.
std::string library_reason() {
  const unsigned long code = ERR_peek_error();
  const char* reason = ERR_GET_LIB(code) == ERR_LIB_SYS ? nullptr : ERR_reason_error_string(code);
  std::string text = reason != nullptr ? reason : os_error_text(static_cast<int>(ERR_GET_REASON(code)));
  ERR_clear_error();
  return text;
}

std::unexpected<Error> unusable(const char* what, const std::string& path) {
  return fail(ErrorKind::invalid_input,
              std::string("cannot use the TLS ") + what + " " + path + ": " + library_reason());
}

/// A server can't ask anybody for the password of a key.
int no_password(char*, int, int, void*) {
  return -1;
}

}  // namespace

void TlsServer::Free::operator()(SSL_CTX* context) const {
  SSL_CTX_free(context);
}

TlsServer::TlsServer(Files files, Context context) : files_(std::move(files)), context_(std::move(context)) {}

TlsServer::~TlsServer() = default;

Result<TlsServer::Context> TlsServer::make_context(const Files& files) {
  crypto::start_openssl();
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_server_method()));
  if (!context) return fail(ErrorKind::internal, "cannot set up TLS: " + library_reason());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  // A write that was blocked is tried again from another place, with more behind it; an idle connection holds no
  // buffer.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    return unusable("certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return unusable("key", files.key);
  }
  return context;
}

Result<std::unique_ptr<TlsServer>> TlsServer::load(Files files) {
  Context context = OUTPOST_TRY(make_context(files));
  return std::unique_ptr<TlsServer>(new TlsServer(std::move(files), std::move(context)));
}

Result<> TlsServer::reload() {
  context_ = OUTPOST_TRY(make_context(files_));
  return {};
}

std::unique_ptr<ByteStream> TlsServer::accept(Loop& loop, os::FileDescriptor socket) {
  ERR_clear_error();
  TlsStream::Session session(SSL_new(context_.get()));
  if (!session || SSL_set_fd(session.get(), socket.get()) != 1) return nullptr;
  SSL_set_accept_state(session.get());
  return std::make_unique<TlsStream>(loop, std::move(socket), std::move(session));
}

}  // namespace outpost::transport
