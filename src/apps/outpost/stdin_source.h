#pragma once

#include <memory>
#include <string>

#include "base/loop.h"
#include "base/watch.h"
#include "client/client_session.h"

namespace outpost::apps {

/// True if our stdin has nothing to say: closed, or /dev/null.
bool stdin_is_empty();

/// Carries our stdin to a far process: a few chunks ahead of what the far machine has taken, and its end where the
/// server can close a stdin.
class StdinSource {
 public:
  StdinSource(Loop& loop, client::ClientSession& session, std::string process_id, bool can_close);

 private:
  void read_on();
  void take(std::size_t bytes);
  void at_end();

  client::ClientSession& session_;
  std::string process_id_;
  bool can_close_;
  bool ended_ = false;
  std::size_t in_flight_ = 0;  // writes that weren't answered yet
  std::unique_ptr<std::byte[]> buffer_;
  std::unique_ptr<Watch> watch_;  // none for a file, which is always ready
};

}  // namespace outpost::apps
