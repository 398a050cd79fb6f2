#include "server/session_process.h"

#include <utility>

#include "server/session.h"
#include "wire/json_writer.h"
#include "wire/process_events.h"

namespace outpost::server {

using capability::EventView;

SessionProcess::SessionProcess(Session& session, std::string id, std::uint64_t start_number, AttachmentId starter,
                               const telemetry::TraceContext* parent)
    : session_(session),
      id_(std::move(id)),
      start_number_(start_number),
      starter_(starter),
      reads_(session.loop()),
      record_(session.recorder(), parent) {
  wire::append_json_string(id_json_, id_);
}

SessionProcess::~SessionProcess() {
  if (process_) process_->observe(nullptr);
}

void SessionProcess::adopt(std::unique_ptr<capability::Process> process) {
  process_ = std::move(process);
  process_->observe(this);
  record_.started(id_);
}

bool SessionProcess::terminate() {
  record_.termination_asked();
  return process_->terminate();
}

void SessionProcess::on_news() {
  const bool pushed = push();
  if (!pushed && !std::exchange(stalled_, true)) session_.wait_for_room(*this);
  if (!reads_.empty()) reads_.serve(*process_);
  if (!exit_seen_ && process_->state().exited()) {
    exit_seen_ = true;
    record_.exited(*process_->state().exit_code);
  }
  // Not before: the retention of a closed process must not run out while its last output waits for a slow client.
  if (pushed) tell_close();
}

void SessionProcess::tell_close() {
  if (close_told_ || !process_->state().closed) return;
  close_told_ = true;
  session_.on_process_closed(*this);
}

void SessionProcess::on_room() {
  stalled_ = false;
  on_news();
}

bool SessionProcess::push() {
  rpc::Peer* peer = session_.peer();
  if (peer == nullptr) {
    pushed_seq_ = process_->state().next_seq - 1;
    process_->set_flowing(true);
    return true;
  }
  while (const auto event = process_->next_event(pushed_seq_)) {
    if (!peer->writable()) {
      // The program waits in its writes until the client has read: nothing gathers here, nothing is lost.
      process_->set_flowing(false);
      return false;
    }
    push_event(*peer, *event);
    pushed_seq_ = event->seq;
  }
  process_->set_flowing(true);
  return true;
}

void SessionProcess::push_event(rpc::Peer& peer, const EventView& event) {
  switch (event.kind) {
    case EventView::Kind::output: {
      const std::size_t bytes = wire::output_notification_size(id_json_, event.seq, event.stream, event.bytes.size());
      const auto slot = peer.reserve(bytes);
      wire::write_output_notification(slot.bytes.data(), id_json_, event.seq, event.stream, event.bytes);
      process_->note_sent(event.seq, slot.end_offset);
      return;
    }
    case EventView::Kind::exited: {
      const std::size_t bytes =
          wire::exited_notification_size(id_json_, event.seq, event.exit_code, event.sandbox_denied);
      wire::write_exited_notification(peer.reserve(bytes).bytes.data(), id_json_, event.seq, event.exit_code,
                                      event.sandbox_denied);
      return;
    }
    case EventView::Kind::closed: {
      const std::size_t bytes = wire::closed_notification_size(id_json_, event.seq);
      wire::write_closed_notification(peer.reserve(bytes).bytes.data(), id_json_, event.seq);
      return;
    }
  }
}

void SessionProcess::on_attachment_changed() {
  reads_.drop_all();
  // Of those that act without their connection one is enough: nobody is left to be answered.
  bool kept = false;
  std::erase_if(waiters_, [&](const StartWaiter& waiter) {
    return waiter.attachment != any_attachment || std::exchange(kept, true);
  });
  stalled_ = false;
  if (!process_) return;
  process_->abandon_writes();
  pushed_seq_ = process_->state().next_seq - 1;
  process_->set_flowing(true);
  tell_close();
}

}  // namespace outpost::server
