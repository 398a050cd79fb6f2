#include "wire/json_parser.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/limits/messages.h"
#include "wire/quoted_text.h"

namespace outpost::wire {

using boost::json::error_code;
using Index = std::uint32_t;

/// Takes the parser's events and fills a document. An event that breaks a rule says so in `refusal` and stops the
/// parser.
class JsonBuilder {
 public:
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = max_array_size;
  static constexpr std::size_t max_string_size = max_array_size;
  static constexpr std::size_t max_key_size = max_array_size;

  enum class Refusal { none, depth, values, duplicate, asked };

  /// With `stop_at` the building stops in front of that node, as if it were refused: so its place is found.
  JsonBuilder(JsonDocument& document, std::string_view text, std::optional<Index> stop_at)
      : document_(document), text_(text), stop_at_(stop_at) {}

  Refusal refusal() const { return refusal_; }
  /// The key that came twice; for `Refusal::duplicate`.
  Index duplicate() const { return duplicate_; }
  /// Where the refused value begins in the text, if that is known better than by where the parser stopped.
  const char* refused_at() const { return refused_at_; }
  /// A key of the document; the bytes may lie in the text or not.
  std::string_view key(Index index) const { return {node(index).text, node(index).size}; }
  bool in_text(const char* at) const {
    return !std::less<>()(at, text_.data()) && !std::less<>()(text_.data() + text_.size(), at);
  }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }
  bool on_number_part(std::string_view, error_code&) { return true; }

  bool on_object_begin(error_code& code) { return begin(Kind::object, code); }
  bool on_object_end(std::size_t members, error_code& code) {
    const Index object = end(members);
    return check_keys(object, code);
  }
  bool on_array_begin(error_code& code) { return begin(Kind::array, code); }
  bool on_array_end(std::size_t elements, error_code&) {
    end(elements);
    return true;
  }

  bool on_key_part(std::string_view part, std::size_t total, error_code&) { return add_part(part, total); }
  bool on_key(std::string_view part, std::size_t total, error_code& code) {
    if (stop_at_ == next_index()) return refuse(Refusal::asked, nullptr, code);
    add_string(part, total);
    return true;
  }
  bool on_string_part(std::string_view part, std::size_t total, error_code&) { return add_part(part, total); }
  bool on_string(std::string_view part, std::size_t total, error_code& code) {
    const char* start = part.size() == total && in_text(part.data()) ? part.data() - 1 : nullptr;
    if (!count_value(start, code)) return false;
    add_string(part, total);
    return true;
  }

  bool on_int64(std::int64_t value, std::string_view written, error_code& code) {
    if (!count_value(written.data(), code)) return false;
    add(Kind::int64).int64 = value;
    return true;
  }
  bool on_uint64(std::uint64_t value, std::string_view written, error_code& code) {
    if (!count_value(written.data(), code)) return false;
    add(Kind::uint64).uint64 = value;
    return true;
  }
  bool on_double(double value, std::string_view written, error_code& code) {
    if (!count_value(written.data(), code)) return false;
    // The parser's own value may be off by a unit in the last place; beyond the range of a double its value stays.
    std::from_chars(written.data(), written.data() + written.size(), value);
    add(Kind::real).real = value;
    return true;
  }
  bool on_bool(bool value, error_code& code) {
    if (!count_value(nullptr, code)) return false;
    add(Kind::boolean).boolean = value;
    return true;
  }
  bool on_null(error_code& code) {
    if (!count_value(nullptr, code)) return false;
    add(Kind::null);
    return true;
  }

 private:
  using Kind = JsonDocument::NodeKind;
  using Node = JsonDocument::Node;

  const Node& node(Index index) const { return document_.nodes_[index]; }
  Index next_index() const { return static_cast<Index>(document_.nodes_.size()); }

  bool refuse(Refusal why, const char* at, error_code& code) {
    refusal_ = why;
    refused_at_ = at;
    code = boost::json::error::incomplete;  // any code stops the parser
    return false;
  }

  bool count_value(const char* at, error_code& code) {
    if (++values_ > limits::message_values_max) return refuse(Refusal::values, at, code);
    return true;
  }

  Node& add(Kind kind) {
    Node& it = document_.nodes_.emplace_back();
    it.kind = kind;
    it.size = 0;
    it.end = next_index();
    return it;
  }

  bool begin(Kind kind, error_code& code) {
    if (depth_ == limits::message_depth_max) return refuse(Refusal::depth, nullptr, code);
    if (!count_value(nullptr, code)) return false;
    open_[depth_++] = next_index();
    add(kind);
    return true;
  }

  Index end(std::size_t size) {
    const Index index = open_[--depth_];
    document_.nodes_[index].size = static_cast<Index>(size);
    document_.nodes_[index].end = next_index();
    return index;
  }

  // Decoding never lengthens a string, so all decoded strings of a text together fit as many bytes as it has: the
  // memory is taken once and views of it stay good.
  bool add_part(std::string_view part, std::size_t total) {
    if (part.size() == total) part_begin_ = document_.decoded_size_;
    if (document_.decoded_capacity_ < text_.size() && document_.decoded_size_ == 0) {
      document_.decoded_ = std::make_unique_for_overwrite<char[]>(text_.size());
      document_.decoded_capacity_ = text_.size();
    }
    OUTPOST_DCHECK(document_.decoded_size_ + part.size() <= document_.decoded_capacity_);
    if (!part.empty()) std::memcpy(document_.decoded_.get() + document_.decoded_size_, part.data(), part.size());
    document_.decoded_size_ += part.size();
    return true;
  }

  void add_string(std::string_view part, std::size_t total) {
    const char* text = part.data();
    if (part.size() != total || !in_text(text)) {
      add_part(part, total);
      text = document_.decoded_.get() + part_begin_;
    }
    Node& it = add(Kind::string);
    it.text = text;
    it.size = static_cast<Index>(total);
  }

  bool check_keys(Index object, error_code& code) {
    const std::size_t members = node(object).size;
    if (members < 2) return true;
    const std::optional<Index> found =
        members <= members_compared_in_place ? find_duplicate_among_few(object) : find_duplicate_by_order(object);
    if (!found) return true;
    duplicate_ = *found;
    return refuse(Refusal::duplicate, nullptr, code);
  }

  // One bit for each kind of key that was met keeps most keys from being compared at all.
  std::optional<Index> find_duplicate_among_few(Index object) const {
    std::uint64_t met = 0;
    for (Index at = object + 1; at < node(object).end; at = node(at + 1).end) {
      const std::string_view name = key(at);
      const auto first = static_cast<unsigned char>(name.empty() ? 0 : name.front());
      const auto last = static_cast<unsigned char>(name.empty() ? 0 : name.back());
      const std::uint64_t bit = std::uint64_t{1} << ((name.size() * 7 + first * 5u + last) % 64);
      if ((met & bit) != 0) {
        for (Index other = object + 1; other < at; other = node(other + 1).end) {
          if (key(other) == name) return at;
        }
      }
      met |= bit;
    }
    return std::nullopt;
  }

  // Sorting costs n log n whatever the keys are; a hash table could be made slow by chosen keys.
  std::optional<Index> find_duplicate_by_order(Index object) const {
    std::vector<Index> keys;
    keys.reserve(node(object).size);
    for (Index at = object + 1; at < node(object).end; at = node(at + 1).end) keys.push_back(at);
    std::ranges::sort(keys, [this](Index a, Index b) {
      if (node(a).size != node(b).size) return node(a).size < node(b).size;
      const int order = std::memcmp(node(a).text, node(b).text, node(a).size);
      return order != 0 ? order < 0 : a < b;
    });
    std::optional<Index> found;
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (key(keys[i - 1]) == key(keys[i]) && (!found || keys[i] < *found)) found = keys[i];
    }
    return found;
  }

  static constexpr std::size_t members_compared_in_place = 24;

  JsonDocument& document_;
  std::string_view text_;
  std::optional<Index> stop_at_;
  std::array<Index, limits::message_depth_max> open_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
  std::size_t part_begin_ = 0;
  Refusal refusal_ = Refusal::none;
  Index duplicate_ = 0;
  const char* refused_at_ = nullptr;
};

namespace {

using Parser = boost::json::basic_parser<JsonBuilder>;

boost::json::parse_options parser_options() {
  boost::json::parse_options options;
  options.max_depth = limits::message_depth_max + 1;  // the builder refuses first
  return options;
}

/// ` at line L column C` for what lies behind `bytes` bytes of the text, which are themselves counted.
std::string place(std::string_view text, std::size_t bytes) {
  const std::string_view before = text.substr(0, bytes);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return " at line " + std::to_string(lines + 1) + " column " + std::to_string(before.size() - line_begin);
}

std::string duplicate_text(std::string_view text, const JsonBuilder& builder) {
  const std::string_view name = builder.key(builder.duplicate());
  std::string problem = "duplicate JSON object key `" + detail::shortened(name) + "`";
  if (builder.in_text(name.data()))
    return problem + place(text, static_cast<std::size_t>(name.end() - text.begin()) + 1);
  // The key was decoded elsewhere: parse again up to it.
  JsonDocument again;
  Parser parser(parser_options(), again, text, builder.duplicate());
  error_code code;
  const std::size_t stopped = parser.write_some(false, text.data(), text.size(), code);
  return problem + place(text, stopped + 1);
}

std::string too_many_values_text(std::string_view text, const JsonBuilder& builder, std::size_t stopped) {
  std::size_t begin = stopped;
  if (builder.refused_at() != nullptr) {
    begin = static_cast<std::size_t>(builder.refused_at() - text.data());
  } else {
    while (begin > 0 && text[begin - 1] >= 'a' && text[begin - 1] <= 'z') --begin;  // true, false, null
  }
  return "JSON-RPC message exceeds the limit of " + std::to_string(limits::message_values_max) + " JSON values" +
         place(text, begin);
}

std::string syntax_text(std::string_view text, std::size_t stopped, const error_code& code) {
  if (code == boost::json::error::incomplete) return "EOF while parsing a value" + place(text, text.size());
  const bool beyond_ascii = stopped < text.size() && static_cast<unsigned char>(text[stopped]) >= 0x80;
  return (beyond_ascii ? "invalid unicode code point" : "invalid syntax") +
         place(text, std::min(stopped + 1, text.size()));
}

std::string problem_text(std::string_view text, const JsonBuilder& builder, std::size_t stopped,
                         const error_code& code) {
  switch (builder.refusal()) {
    case JsonBuilder::Refusal::depth:
      return "recursion limit exceeded" + place(text, stopped + 1);
    case JsonBuilder::Refusal::values:
      return too_many_values_text(text, builder, stopped);
    case JsonBuilder::Refusal::duplicate:
      return duplicate_text(text, builder);
    case JsonBuilder::Refusal::asked:
    case JsonBuilder::Refusal::none:
      break;
  }
  if (!code) return "trailing characters" + place(text, stopped + 1);
  return syntax_text(text, stopped, code);
}

}  // namespace

Result<> parse_json(std::string_view text, JsonDocument& document) {
  document.clear();
  if (text.size() > limits::message_bytes_max) {
    return fail(ErrorKind::malformed_message,
                "message exceeds the limit of " + std::to_string(limits::message_bytes_max) + " bytes");
  }
  Parser parser(parser_options(), document, text, std::nullopt);
  error_code code;
  const std::size_t stopped = parser.write_some(false, text.data(), text.size(), code);
  if (!code && stopped == text.size()) return {};
  std::string problem = problem_text(text, parser.handler(), stopped, code);
  document.clear();
  return fail(ErrorKind::malformed_message, std::move(problem));
}

}  // namespace outpost::wire
