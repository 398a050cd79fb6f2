#include "server/file_requests.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "wire/file_answers.h"

namespace outpost::server {

namespace {

using capability::FileAnswer;
using capability::FileRequest;

template <class T, class... Others>
constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

template <class T>
constexpr bool has_handle = requires(const T& params) { params.handle_id; };

/// Those that change nothing and leave nothing behind, so that their answer need not be waited for.
template <class T>
constexpr bool is_pure_read =
    is_one_of<T, wire::ReadFileParams, wire::GetMetadataParams, wire::CanonicalizeParams, wire::ReadDirectoryParams,
              wire::WalkParams, wire::ReadBlockParams, wire::DigestParams, wire::ReadDirectoryFullParams,
              wire::EnvironmentConfigParams>;

template <class T>
FileTurn turn_of(const T& params) {
  if constexpr (is_one_of<T, wire::WriteBlockParams>) return FileTurn::block;
  if constexpr (is_one_of<T, wire::CloseParams>) return FileTurn::close;
  if constexpr (is_one_of<T, wire::OpenParams>) {
    return params.mode.value == wire::OpenMode::read ? FileTurn::read : FileTurn::mutation;
  }
  return is_pure_read<T> || is_one_of<T, wire::WatchMissingParams> ? FileTurn::read : FileTurn::mutation;
}

Error cancelled() {
  return {ErrorKind::cancelled, "request cancelled"};
}

void send(rpc::Reply& reply, const FileAnswer& answer) {
  std::visit(
      [&]<class T>(const T& result) {
        if constexpr (is_one_of<T, wire::EmptyObject>) {
          reply.ok_json("{}");
        } else if constexpr (is_one_of<T, capability::FileContents>) {
          reply.write(wire::file_answer_size(reply.id(), result.bytes.size()),
                      [&](char* out) { wire::write_file_answer(out, reply.id(), result.bytes.view()); });
        } else if constexpr (is_one_of<T, capability::FileBlock>) {
          reply.write(wire::block_answer_size(reply.id(), result.bytes.size(), result.eof),
                      [&](char* out) { wire::write_block_answer(out, reply.id(), result.bytes.view(), result.eof); });
        } else {
          reply.ok(result);
        }
      },
      answer);
}

}  // namespace

FileRequests::FileRequests(capability::FileSystem& files, rpc::Peer& peer)
    : files_(files), peer_(peer), order_([this] { return held_.empty() && peer_.takes_answers(); }) {}

FileRequests::~FileRequests() {
  end();
}

FileRequests::Request FileRequests::describe(const FileRequest& request, rpc::Reply reply) {
  Request described{.reply = std::move(reply), .stop = {}, .handle = {}};
  std::visit(
      [&]<class T>(const T& params) {
        if constexpr (has_handle<T>) described.handle = params.handle_id;
        described.changes_nothing = is_pure_read<T>;
        described.stops_half_way = is_pure_read<T> || is_one_of<T, wire::CopyParams>;
        using Kind = Request::Kind;
        if constexpr (is_one_of<T, wire::OpenParams>) {
          described.kind = params.mode.value == wire::OpenMode::read ? Kind::open_read : Kind::open_write;
        }
        if constexpr (is_one_of<T, wire::CloseParams>) described.kind = Kind::close;
        if constexpr (is_one_of<T, wire::ReadBlockParams>) described.kind = Kind::read_block;
      },
      request);
  return described;
}

void FileRequests::add(FileRequest request, rpc::Reply reply) {
  if (!client_) {
    client_ = files_.connect([this](std::uint64_t watch_id) {
      peer_.contain([&] { peer_.notify("fs/missingChanged", wire::MissingChanged{watch_id}); });
    });
  }
  const Number number = order_.next_number();
  Request described = describe(request, std::move(reply));
  described.reply.when_cancelled([this, number] { cancel(number); });
  const auto [turn, handled] =
      std::visit([]<class T>(const T& params) { return std::pair(turn_of(params), has_handle<T>); }, request);
  std::string handle = described.handle;
  requests_.emplace(number, std::move(described));
  order_.add(number, turn, handled, std::move(handle),
             [this, number, request = std::move(request)]() mutable { begin(number, std::move(request)); });
}

void FileRequests::begin(Number number, FileRequest request) {
  Request& running = requests_.at(number);
  running.begun = true;
  client_->call(std::move(request), running.stop.get_token(), [this, number](Result<FileAnswer> answer) mutable {
    peer_.contain([&] { finish(number, std::move(answer)); });
  });
}

void FileRequests::finish(Number number, Result<FileAnswer> answer) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) return order_.finished(number);  // it was cancelled, and is over only now
  note_handle(found->second, answer.has_value());
  if (!held_.empty() || !peer_.takes_answers()) {
    found->second.answer.emplace(std::move(answer));
    held_.push_back(number);
    return client_->set_flowing(false);
  }
  this->answer(number, std::move(answer));
}

void FileRequests::answer(Number number, Result<FileAnswer> answer) {
  auto node = requests_.extract(number);
  rpc::Reply& reply = node.mapped().reply;
  if (answer) {
    send(reply, *answer);
  } else {
    reply.error(answer.error());
  }
  order_.finished(number);
}

void FileRequests::note_handle(const Request& request, bool good) {
  using Kind = Request::Kind;
  if (request.kind == Kind::open_read && good) order_.opened_for_reading(request.handle);
  if (request.kind == Kind::open_write && good) order_.not_for_reading(request.handle);
  if (request.kind == Kind::close || (request.kind == Kind::read_block && !good)) {
    order_.not_for_reading(request.handle);
  }
}

void FileRequests::cancel(Number number) {
  const auto found = requests_.find(number);
  if (found == requests_.end() || found->second.answer) return;
  Request& request = found->second;
  if (request.begun && !request.changes_nothing) {
    if (request.stops_half_way) request.stop.request_stop();
    return;
  }
  request.stop.request_stop();
  // A block that is being read has its handle until that is over: what comes behind it may close the file.
  const bool has_handle_still = request.begun && request.kind == Request::Kind::read_block;
  auto node = requests_.extract(found);
  node.mapped().reply.error(cancelled());
  if (!has_handle_still) order_.finished(number);
}

void FileRequests::on_room() {
  while (!held_.empty() && peer_.takes_answers()) {
    const Number number = held_.front();
    held_.pop_front();
    answer(number, *std::move(requests_.at(number).answer));
  }
  if (!held_.empty()) return;
  if (client_) client_->set_flowing(true);
  order_.advance();
}

void FileRequests::end() {
  for (auto& [number, request] : requests_) request.stop.request_stop();
  client_.reset();
  order_.clear();
  held_.clear();
  requests_.clear();
}

}  // namespace outpost::server
