#include "server/session_process.h"

#include <utility>

#include "server/session.h"
#include "wire/json_writer.h"
#include "wire/process_events.h"

namespace outpost::server {

using capability::EventView;

SessionProcess::SessionProcess(Session& session, const wire::StartParams& params, std::uint64_t start_number,
                               AttachmentId starter, const telemetry::TraceContext* parent)
    : session_(session),
      id_(params.process_id),
      start_number_(start_number),
      facts_(params),
      starter_(starter),
      hold_(params.outpost.members.on_detach == wire::OnDetach::hold),
      reads_(session.loop(), [this](const AnsweredRead& answered) { on_read_answered(answered); }),
      record_(session.recorder(), parent) {
  wire::append_json_string(id_json_, id_);
}

SessionProcess::~SessionProcess() {
  if (process_) process_->observe(nullptr);
}

void SessionProcess::adopt(std::unique_ptr<capability::Process> process) {
  process_ = std::move(process);
  process_->observe(this);
  process_->set_keep(keep());
  much_unproved_bytes_ = process_->details().retain_bytes_max / 2;
  session_.check_retained();
  record_.started(id_);
}

bool SessionProcess::terminate(std::chrono::milliseconds grace) {
  record_.termination_asked();
  return process_->terminate(grace);
}

wire::StartResult SessionProcess::start_result(wire::SandboxType sandbox_type) const {
  wire::StartResult result;
  result.process_id = id_;
  result.sandbox_type = sandbox_type;
  if (facts_.gave_outpost) {
    const capability::ProcessDetails details = process_->details();
    result.outpost = {.on_detach = on_detach(), .retain_bytes = details.retain_bytes_max, .pid = details.pid};
  }
  return result;
}

wire::ListedProcess SessionProcess::listed() const {
  wire::ListedProcess listed;
  listed.process_id = id_;
  listed.argv = facts_.argv;
  listed.argv_truncated = facts_.argv_truncated;
  listed.tty = facts_.tty;
  listed.started_at_ms = facts_.started_at_ms;
  listed.on_detach = on_detach();
  listed.state = stage();
  if (!process_) return listed;
  const capability::ProcessState state = process_->state();
  const capability::ProcessDetails details = process_->details();
  listed.pid.emplace(details.pid);
  if (state.exited()) listed.exit_code.emplace(*state.exit_code);
  if (state.exited() && state.ended_by != wire::EndedBy::itself) listed.ended_by = state.ended_by;
  listed.first_seq = details.first_seq;
  listed.next_seq = state.next_seq;
  listed.retained_bytes = details.retained_bytes;
  return listed;
}

wire::ProcessStage SessionProcess::stage() const {
  if (!process_) return wire::ProcessStage::starting;
  const capability::ProcessState state = process_->state();
  return state.closed     ? wire::ProcessStage::closed
         : state.exited() ? wire::ProcessStage::exited
                          : wire::ProcessStage::running;
}

capability::Keep SessionProcess::keep() const {
  if (session_.peer() == nullptr) return hold_ ? capability::Keep::held : capability::Keep::newest;
  const Delivery* delivery = session_.delivery();
  const bool provable = delivery != nullptr && delivery->mode() != ReceiptMode::none;
  return provable || hold_ ? capability::Keep::unproved : capability::Keep::newest;
}

void SessionProcess::prove(std::uint64_t offset) {
  awaits_proof_ = false;
  // What a system took may never have reached its client: who asked to lose nothing is not answered by that.
  const bool proves = !hold_ || session_.delivery()->mode() != ReceiptMode::socket;
  if (proves) process_->prove_sent(offset);
  ask_for_proof();
}

void SessionProcess::ask_for_proof() {
  Delivery* delivery = session_.delivery();
  if (delivery == nullptr) return;
  const capability::Undelivered undelivered = process_->undelivered();
  if (undelivered.bytes == 0) return;
  if (!std::exchange(awaits_proof_, true)) session_.await_proof(*this);
  if (undelivered.bytes > much_unproved_bytes_) delivery->want_proof(undelivered.sent_offset);
}

void SessionProcess::read(const ReadQuery& query, rpc::Reply reply) {
  if (!query.view) process_->prove_through(query.after_seq);
  reads_.add(*process_, query, std::move(reply));
}

void SessionProcess::on_read_answered(const AnsweredRead& answered) {
  if (Delivery* delivery = session_.delivery()) delivery->sent(answered.message_bytes);
  if (!answered.view && answered.next_seq > backlog_seq_) process_->release_backlog();
  ask_for_proof();
}

void SessionProcess::on_backlog_wait_over() {
  if (process_ && !hold_) process_->release_backlog();
}

void SessionProcess::on_news() {
  const bool pushed = push();
  ask_for_proof();
  session_.check_retained();
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
  std::size_t bytes = 0;
  switch (event.kind) {
    case EventView::Kind::output: {
      bytes = wire::output_notification_size(id_json_, event.seq, event.stream, event.bytes.size());
      const auto slot = peer.reserve(bytes);
      wire::write_output_notification(slot.bytes.data(), id_json_, event.seq, event.stream, event.bytes);
      process_->note_sent(event.seq, slot.end_offset);
      break;
    }
    case EventView::Kind::exited: {
      const std::string outpost = wire::ended_by_json(process_->state().ended_by);
      bytes = wire::exited_notification_size(id_json_, event.seq, event.exit_code, event.sandbox_denied, outpost);
      wire::write_exited_notification(peer.reserve(bytes).bytes.data(), id_json_, event.seq, event.exit_code,
                                      event.sandbox_denied, outpost);
      break;
    }
    case EventView::Kind::closed: {
      bytes = wire::closed_notification_size(id_json_, event.seq);
      wire::write_closed_notification(peer.reserve(bytes).bytes.data(), id_json_, event.seq);
      break;
    }
  }
  if (Delivery* delivery = session_.delivery()) delivery->sent(bytes);
}

void SessionProcess::on_attachment_changed() {
  reads_.drop_all();
  // Of those that act without their connection one is enough: nobody is left to be answered.
  bool kept = false;
  std::erase_if(waiters_, [&](const StartWaiter& waiter) {
    return waiter.attachment != any_attachment || std::exchange(kept, true);
  });
  stalled_ = awaits_proof_ = false;
  if (!process_) return;
  process_->abandon_writes();
  pushed_seq_ = backlog_seq_ = process_->state().next_seq - 1;
  if (session_.peer() != nullptr) process_->begin_delivery();
  process_->set_flowing(true);
  process_->set_keep(keep());
  tell_close();
}

}  // namespace outpost::server
