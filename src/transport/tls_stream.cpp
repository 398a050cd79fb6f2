#include "transport/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace outpost::transport {

namespace {

int call_size(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, INT_MAX));
}

}  // namespace

void TlsStream::Free::operator()(SSL* session) const {
  SSL_free(session);
}

TlsStream::TlsStream(Loop& loop, os::FileDescriptor socket, Session session)
    : SocketBase(loop, std::move(socket)), session_(std::move(session)) {}

TlsStream::~TlsStream() {
  *alive_ = false;
}

Result<> TlsStream::bind(std::function<void()> on_readable, std::function<void()> on_writable) {
  leave_loop();  // the watch borrows the descriptor: the old one must be gone first
  on_readable_ = std::move(on_readable);
  on_writable_ = std::move(on_writable);
  watch_ = OUTPOST_TRY(
      Watch::create(*loop_, socket_.get(), [this] { on_socket_readable(); }, [this] { on_socket_writable(); }));
  return {};
}

void TlsStream::leave_loop() {
  *std::exchange(alive_, std::make_shared<bool>(true)) = false;
  wants_read_ = wants_write_ = false;
  watch_.reset();
}

os::IoCount TlsStream::outcome(int result, int own_direction, bool& crossed) {
  const int system_error = errno;
  const int error = SSL_get_error(session_.get(), result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    crossed = error != own_direction;
    return {.status = os::IoCount::would_block};
  }
  if (error == SSL_ERROR_ZERO_RETURN) return {.status = os::IoCount::end};
  broken_ = true;
  // A peer that just hangs up, without the farewell of TLS: the protocols above have ends of their own.
  const unsigned long code = ERR_peek_error();
  if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return {.status = os::IoCount::end};
  if (error == SSL_ERROR_SYSCALL && system_error != 0) {
    const bool gone = system_error == EPIPE || system_error == ECONNRESET;
    return {.status = gone ? os::IoCount::end : os::IoCount::failed, .error = system_error};
  }
  return {.status = os::IoCount::failed, .error = EPROTO};
}

os::IoCount TlsStream::read(MutableBytes into) {
  if (over_) return *over_;
  if (broken_) return {.status = os::IoCount::failed, .error = EPROTO};
  std::size_t got = 0;
  read_awaits_writing_ = false;
  while (got < into.size()) {
    ERR_clear_error();
    errno = 0;
    const MutableBytes rest = into.subspan(got);
    const int count = SSL_read(session_.get(), rest.data(), call_size(rest.size()));
    if (count > 0) {
      got += static_cast<std::size_t>(count);
      continue;
    }
    const os::IoCount stopped = outcome(count, SSL_ERROR_WANT_READ, read_awaits_writing_);
    if (stopped.status != os::IoCount::would_block) over_ = stopped;
    if (got == 0) return stopped;
    break;
  }
  return {.bytes = got};
}

os::IoCount TlsStream::write(ByteView from) {
  if (broken_) return {.status = os::IoCount::end, .error = EPIPE};
  if (from.empty()) return {};
  ERR_clear_error();
  errno = 0;
  write_awaits_reading_ = false;
  const int count = SSL_write(session_.get(), from.data(), call_size(from.size()));
  if (count > 0) return {.bytes = static_cast<std::size_t>(count)};
  return outcome(count, SSL_ERROR_WANT_WRITE, write_awaits_reading_);
}

void TlsStream::wait_readable() {
  wants_read_ = true;
  // What was decrypted already, or the end, doesn't show at the socket any more.
  if (!over_ && SSL_pending(session_.get()) == 0) return arm();
  loop_->post([this, alive = alive_] {
    if (!*alive || !std::exchange(wants_read_, false)) return;
    const auto told = on_readable_;
    told();
  });
}

void TlsStream::wait_writable() {
  wants_write_ = true;
  arm();
}

void TlsStream::arm() {
  if ((wants_read_ && !read_awaits_writing_) || (wants_write_ && write_awaits_reading_)) watch_->wait_readable();
  if ((wants_write_ && !write_awaits_reading_) || (wants_read_ && read_awaits_writing_)) watch_->wait_writable();
}

void TlsStream::on_socket_readable() {
  const bool write = wants_write_ && write_awaits_reading_, read = wants_read_ && !read_awaits_writing_;
  if (write) wants_write_ = write_awaits_reading_ = false;
  if (read) wants_read_ = false;
  tell(read, write);
}

void TlsStream::on_socket_writable() {
  const bool read = wants_read_ && read_awaits_writing_, write = wants_write_ && !write_awaits_reading_;
  if (read) wants_read_ = read_awaits_writing_ = false;
  if (write) wants_write_ = false;
  tell(read, write);
}

void TlsStream::tell(bool readable, bool writable) {
  // Whoever is told may give the stream away or end it, and these with it.
  const auto alive = alive_;
  const auto on_readable = on_readable_, on_writable = on_writable_;
  if (readable) on_readable();
  if (writable && *alive) on_writable();
}

void TlsStream::shut_down() {
  if (!broken_ && SSL_is_init_finished(session_.get()) == 1) {
    ERR_clear_error();
    SSL_shutdown(session_.get());
  }
  ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace outpost::transport
