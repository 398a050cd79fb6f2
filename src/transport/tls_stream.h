#pragma once

#include <openssl/types.h>

#include <memory>
#include <optional>

#include "transport/socket_base.h"

namespace outpost::transport {

/// TLS over a connected socket, either role; the handshake is part of the first reads and writes.
///
/// What is to be written again after it was blocked must begin with the same bytes, at any place.
class TlsStream final : public SocketBase {
 public:
  struct Free {
    void operator()(SSL* session) const;
  };
  using Session = std::unique_ptr<SSL, Free>;

  /// `session` has its role, and `socket` as its descriptor.
  TlsStream(Loop& loop, os::FileDescriptor socket, Session session);
  ~TlsStream() override;

  Result<> bind(std::function<void()> on_readable, std::function<void()> on_writable) override;
  os::IoCount read(MutableBytes into) override;
  os::IoCount write(ByteView from) override;
  void wait_readable() override;
  void wait_writable() override;
  void leave_loop() override;
  void shut_down() override;

 private:
  /// What one call of OpenSSL that moved nothing means; `crossed` becomes whether it waits for the other direction.
  os::IoCount outcome(int result, int own_direction, bool& crossed);
  void on_socket_readable();
  void on_socket_writable();
  void tell(bool readable, bool writable);
  void arm();

  Session session_;
  std::function<void()> on_readable_, on_writable_;
  std::optional<os::IoCount> over_;  // how reading ended, once it has
  bool broken_ = false;              // nothing more may be asked of OpenSSL
  bool wants_read_ = false, wants_write_ = false;
  bool read_awaits_writing_ = false, write_awaits_reading_ = false;  // as in the middle of a handshake
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false for what was posted before a change of hands
};

}  // namespace outpost::transport
