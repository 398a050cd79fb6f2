#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/loop.h"
#include "client/client_session.h"

namespace outpost::apps {

/// True if this stdin has nothing to say: closed, or /dev/null.
bool is_empty_input(int fd);

/// Carries our stdin to a far process: at most `limits::stdin_chunks_ahead` chunks ahead of what the far machine has
/// taken, and its end where the server can close a stdin. It is read by a thread of its own: its mode isn't ours to
/// change, and a read may wait for ever. Belongs to its loop; must be gone before the session and the loop.
class StdinSource {
 public:
  struct Settings {
    int fd = 0;
    bool can_close = false;  ///< the server announces `process.closeStdin`
    /// The end came, behind bytes, and can't be passed on; not told for a terminal.
    std::function<void()> on_end_lost;
  };
  StdinSource(Loop& loop, client::ClientSession& session, std::string process_id, Settings settings);
  StdinSource(const StdinSource&) = delete;
  StdinSource& operator=(const StdinSource&) = delete;
  ~StdinSource();

 private:
  struct Shared;
  static void read_all(const std::shared_ptr<Shared>& shared, int fd);
  void take(ByteView bytes);
  void take_answer(bool wants_more);
  void at_end();

  client::ClientSession& session_;
  std::string process_id_;
  Settings settings_;
  bool carried_ = false;            // it was not empty
  std::shared_ptr<Shared> shared_;  // shared with the thread, which may sit in a read for ever
};

}  // namespace outpost::apps
