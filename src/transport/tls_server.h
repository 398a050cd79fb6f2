#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/loop.h"
#include "base/result.h"
#include "os/fd.h"
#include "transport/byte_stream.h"

namespace outpost::transport {

/// The server's end of TLS 1.2 and 1.3 with one certificate (processes-and-sessions 12.0.1). Belongs to its loop; the
/// streams don't need it.
class TlsServer {
 public:
  struct Files {
    std::string certificate;  ///< PEM: the certificate, then the chain above it
    std::string key;          ///< PEM, not encrypted
  };

  /// Reads both files. Fails with `ErrorKind::invalid_input` and a text that names the file and holds nothing of it.
  static Result<std::unique_ptr<TlsServer>> load(Files files);
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;
  ~TlsServer();

  /// Reads the files again. New connections get what they hold now, old ones keep what they have; after an error all
  /// stays as it was. Blocks for as long as reading two small files takes.
  Result<> reload();
  /// TLS over a connected socket, as the one that waits for the other side to begin; the handshake goes on with the
  /// reads and writes. Null if there is no memory for it.
  std::unique_ptr<ByteStream> accept(Loop& loop, os::FileDescriptor socket);

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  using Context = std::unique_ptr<SSL_CTX, Free>;
  static Result<Context> make_context(const Files& files);

  TlsServer(Files files, Context context);

  Files files_;
  Context context_;
};

}  // namespace outpost::transport
