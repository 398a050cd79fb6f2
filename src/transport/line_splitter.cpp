#include "transport/line_splitter.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace outpost::transport {

std::size_t LineSplitter::feed(std::string_view data, LineSink& sink) {
  std::size_t consumed = 0;
  bool goes_on = true;
  while (goes_on && !error_ && consumed < data.size()) {
    const std::string_view rest = data.substr(consumed);
    const std::size_t end = rest.find('\n');
    const bool ends = end != std::string_view::npos;
    const std::string_view part = rest.substr(0, end);
    consumed += part.size() + (ends ? 1 : 0);
    if (ends && line_bytes_ == 0 && part.size() <= limits_.message_bytes_max + 1) {
      goes_on = deliver(part, sink);
      continue;
    }
    keep(part);
    if (ends && !error_) goes_on = end_line(sink);
  }
  return consumed;
}

void LineSplitter::finish(LineSink& sink) {
  if (!error_ && line_bytes_ != 0) end_line(sink);
}

void LineSplitter::keep(std::string_view part) {
  line_bytes_ += part.size();
  // One more than a message may have: the last one may belong to the end of the line.
  if (line_bytes_ > limits_.message_bytes_max + 1) {
    discarding_ = true;
    line_.release();
  }
  if (line_bytes_ > limits_.discarded_message_bytes_max) {
    error_ = "a line is too long";
    line_.release();
  }
  if (discarding_ || part.empty()) return;
  const std::size_t final_bytes = static_cast<std::size_t>(limits_.message_bytes_max) + 1;
  std::ranges::copy(part, line_.extend(part.size(), final_bytes));
}

bool LineSplitter::end_line(LineSink& sink) {
  const std::uint64_t bytes = std::exchange(line_bytes_, 0);
  bool goes_on = true;
  if (std::exchange(discarding_, false)) {
    sink.on_oversize(bytes);
  } else {
    goes_on = deliver(line_.view(), sink);
  }
  line_.release();
  return goes_on;
}

bool LineSplitter::deliver(std::string_view line, LineSink& sink) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return true;
  if (line.size() > limits_.message_bytes_max) {
    sink.on_oversize(line.size());
    return true;
  }
  if (!is_utf8(line)) {
    error_ = "a line is not UTF-8";
    return false;
  }
  return sink.on_line(line);
}

}  // namespace outpost::transport
