#include "server/waiting_reads.h"

#include <string>
#include <utility>
#include <vector>

#include "base/limits/processes.h"
#include "wire/codec.h"
#include "wire/process_events.h"

namespace outpost::server {

bool has_news(const capability::Process& process, const ReadQuery& query) {
  const capability::ProcessState state = process.state();
  if (state.closed) return true;
  if (query.view) return false;
  if (state.exited() && query.after_seq < state.next_seq - 1) return true;
  const auto event = process.next_event(query.after_seq);
  return event && event->kind == capability::EventView::Kind::output;
}

AnsweredRead answer_read(capability::Process& process, const ReadQuery& query, rpc::Reply& reply) {
  std::vector<wire::ReadChunk> chunks;
  const capability::ProcessState state = process.state();
  wire::ReadAnswerExtension extension;
  if (state.exited() && state.ended_by != wire::EndedBy::itself) extension.ended_by = state.ended_by;
  std::uint64_t next_seq = state.next_seq;
  if (query.view) {
    const capability::Excerpt excerpt = process.excerpt(query.view->head, query.view->tail, chunks);
    extension.total_bytes = excerpt.total_bytes;
    extension.omitted_bytes = excerpt.omitted_bytes;
    auto& after = extension.omitted_after_seq.emplace();
    if (excerpt.omitted_after_seq) after.emplace(*excerpt.omitted_after_seq);
  } else {
    next_seq = process.read(query.after_seq, query.bytes_max, chunks);
  }
  std::string outpost;
  if (query.view || extension.ended_by) wire::encode(outpost, extension);
  const wire::ReadAnswer answer{.chunks = chunks,
                                .next_seq = next_seq,
                                .exited = state.exited(),
                                .exit_code = state.exit_code,
                                .closed = state.closed,
                                .failure = std::nullopt,
                                .sandbox_denied = state.sandbox_denied,
                                .outpost_json = outpost};
  const std::size_t bytes = wire::read_answer_size(reply.id(), answer);
  const std::uint64_t end_offset =
      reply.write(bytes, [&](char* out) { wire::write_read_answer(out, reply.id(), answer); });
  if (end_offset != 0 && !query.view) {
    for (const wire::ReadChunk& chunk : chunks) process.note_sent(chunk.seq, end_offset);
  }
  return {.message_bytes = bytes, .next_seq = next_seq, .view = query.view.has_value()};
}

void WaitingReads::add(capability::Process& process, ReadQuery query, rpc::Reply reply) {
  if (query.wait.count() == 0 || has_news(process, query)) return on_answered_(answer_read(process, query, reply));
  if (reads_.size() >= limits::waiting_reads_per_process_max) {
    return reply.error({ErrorKind::limit_reached, "at most " + std::to_string(limits::waiting_reads_per_process_max) +
                                                      " reads may wait for one process"});
  }
  reads_.emplace_back(loop_, query, std::move(reply));
  const auto place = std::prev(reads_.end());
  place->reply.when_cancelled([this, place] {
    rpc::Reply given_up = std::move(place->reply);
    reads_.erase(place);
    given_up.error({ErrorKind::cancelled, "request cancelled"});
  });
  place->deadline.start(query.wait, [this, place, &process] {
    const ReadQuery due = place->query;
    rpc::Reply due_reply = std::move(place->reply);
    reads_.erase(place);
    on_answered_(answer_read(process, due, due_reply));
  });
}

void WaitingReads::serve(capability::Process& process) {
  for (auto read = reads_.begin(); read != reads_.end();) {
    if (!has_news(process, read->query)) {
      ++read;
      continue;
    }
    on_answered_(answer_read(process, read->query, read->reply));
    read = reads_.erase(read);
  }
}

}  // namespace outpost::server
