#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "wire/json_document.h"
#include "wire/request_id.h"

namespace outpost::wire {

enum class MessageKind { request, notification, response, error };

/// One message of the protocol (processes-and-sessions 1.1). What belongs to another kind is left at its default.
struct Message {
  MessageKind kind = MessageKind::notification;
  RequestId id;                    ///< all but notifications
  std::string_view method;         ///< requests and notifications
  JsonView params;                 ///< requests and notifications; absent when there are none
  std::string_view traceparent;    ///< requests; as it came, unchecked (W3C Trace Context); empty: none
  std::string_view tracestate;     ///< requests
  JsonView result;                 ///< responses
  std::int64_t error_code = 0;     ///< errors
  std::string_view error_message;  ///< errors
  JsonView error_data;             ///< errors; absent when there is none
};

/// Takes messages apart. One parser is used by one thread; it keeps a little memory between messages.
class MessageParser {
 public:
  /// Parses one message. Its views hold until the next call and no longer than `text`.
  /// Fails with `ErrorKind::malformed_message`, the message being the REASON of processes-and-sessions 1.3.
  Result<Message> parse(std::string_view text);
  /// Gives back what a large message took, without waiting for the next one. Views of the last message end here.
  void clear();
  /// Bytes of memory that are held now.
  std::size_t memory_bytes() const { return document_.memory_bytes(); }

 private:
  JsonDocument document_;
};

/// Clears a parser at the end of its scope, the one in which a message is handled.
class ParserScope {
 public:
  explicit ParserScope(MessageParser& parser) : parser_(parser) {}
  ParserScope(const ParserScope&) = delete;
  ParserScope& operator=(const ParserScope&) = delete;
  ~ParserScope() { parser_.clear(); }

 private:
  MessageParser& parser_;
};

}  // namespace outpost::wire
