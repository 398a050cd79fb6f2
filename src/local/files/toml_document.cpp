#include "local/files/toml_document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "base/limits/configuration.h"
// The parser asserts what a document can break (a header that starts with a dot), and without assertions lets the
// compiler rely on it. Both would be wrong: it has an error for the same case, which is what we want.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32  // limits::toml_nesting_max; the parser recurses for each
#include <toml++/toml.h>

namespace outpost::local {

static_assert(TOML_MAX_NESTED_VALUES == limits::toml_nesting_max);

namespace {

/// What is asked for below a table.
struct Selection {
  bool whole = false;
  std::map<std::string, Selection, std::less<>> children;
};

using Item = std::pair<const toml::key*, const toml::node*>;

bool is_table_list(const toml::node& node) {
  const toml::array* items = node.as_array();
  return items != nullptr && !items->empty() && items->is_homogeneous(toml::node_type::table);
}

bool has_header(const toml::node& node) {
  return node.is_table() || is_table_list(node);
}

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += {digits[byte >> 4], digits[byte & 0xf]};
    } else {
      out.push_back(c);
    }
  }
  return out + '"';
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : quoted(key);
}

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// In the order of the file: the parser sorts them by name.
std::vector<Item> items_of(const toml::table& table, const Selection* selection) {
  std::vector<Item> items;
  for (const auto& [key, node] : table) {
    if (selection == nullptr || selection->children.contains(key.str())) items.emplace_back(&key, &node);
  }
  std::ranges::sort(items, [](const Item& left, const Item& right) {
    const auto& a = left.first->source().begin;
    const auto& b = right.first->source().begin;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  return items;
}

class Writer {
 public:
  std::string take() { return std::move(out_); }

  /// `header` is empty for the document itself. `selection` null: all of it.
  void table(const std::string& header, const toml::table& table, const Selection* selection, bool of_list) {
    const std::vector<Item> items = items_of(table, selection);
    const bool values = std::ranges::any_of(items, [](const Item& item) { return !has_header(*item.second); });
    if (of_list) {
      line("[[" + header + "]]");
    } else if (!header.empty() && (values || items.empty())) {
      line("[" + header + "]");
    }
    for (const auto& [key, node] : items) {
      if (!has_header(*node)) out_ += key_text(key->str()) + " = " + value(*node) + "\n";
    }
    for (const auto& [key, node] : items) {
      if (has_header(*node)) below(header, *key, *node, selection);
    }
  }

 private:
  void line(const std::string& text) {
    if (!out_.empty()) out_ += '\n';
    out_ += text + '\n';
  }

  void below(const std::string& header, const toml::key& key, const toml::node& node, const Selection* selection) {
    const std::string name = (header.empty() ? "" : header + ".") + key_text(key.str());
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& element : *list) table(name, *element.as_table(), nullptr, true);
      return;
    }
    const Selection* inner = selection == nullptr ? nullptr : &selection->children.find(key.str())->second;
    table(name, *node.as_table(), inner != nullptr && inner->whole ? nullptr : inner, false);
  }

  std::string value(const toml::node& node) {
    if (const auto* text = node.as_string()) return quoted(text->get());
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* number = node.as_floating_point()) return float_text(number->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (const auto* list = node.as_array()) return list_text(*list);
    if (const auto* table = node.as_table()) return inline_table(*table);
    std::ostringstream text;
    node.visit([&](const auto& other) {
      if constexpr (toml::is_date<decltype(other)> || toml::is_time<decltype(other)> ||
                    toml::is_date_time<decltype(other)>) {
        text << other.get();
      }
    });
    return text.str();
  }

  std::string list_text(const toml::array& list) {
    std::string text;
    for (const toml::node& element : list) text += (text.empty() ? "" : ", ") + value(element);
    return "[" + text + "]";
  }

  std::string inline_table(const toml::table& table) {
    std::string text;
    for (const auto& [key, node] : items_of(table, nullptr)) {
      text += (text.empty() ? " " : ", ") + key_text(key->str()) + " = " + value(*node);
    }
    return text.empty() ? "{}" : "{" + text + " }";
  }

  std::string out_;
};

/// Finds what the parser must not see: keys with too many dots, of which it makes a table each, and characters outside
/// of strings and comments that it doesn't expect.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  struct Fault {
    std::size_t offset;
    std::string_view why;
  };
  std::optional<Fault> find() {
    std::size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      if (c != '#' && static_cast<unsigned char>(c) >= 0x80) return Fault{at_, "unexpected character"};
      if (c == '.' && ++dots == limits::toml_nesting_max) return Fault{at_, "too many keys in a key with dots"};
      if (std::string_view("=,[]{}#\n").contains(c)) dots = 0;
      ++at_;
    }
    return std::nullopt;
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool many_lines = text_.substr(at_).starts_with(three);
    at_ += many_lines ? 3 : 1;
    while (at_ < text_.size()) {
      if (many_lines ? text_.substr(at_).starts_with(three) : text_[at_] == quote || text_[at_] == '\n') break;
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + (many_lines ? 3 : 1), text_.size());
    // The last two of five quotes end it: those before belong to it.
    for (int more = 0; many_lines && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// How many tables and lists lie in each other. Recurses as deep as the two bounds before it allow.
std::size_t depth_of(const toml::node& node) {
  std::size_t inner = 0;
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, child] : *table) inner = std::max(inner, depth_of(child));
    return inner + 1;
  }
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& child : *list) inner = std::max(inner, depth_of(child));
    return inner + 1;
  }
  return 0;
}

Error fault_at(std::size_t line, std::size_t column, std::string_view why) {
  return {ErrorKind::io, std::to_string(line) + ":" + std::to_string(column) + ": " + std::string(why)};
}

Error fault_at_offset(std::string_view text, std::size_t offset, std::string_view why) {
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  return fault_at(line, offset - (before.rfind('\n') + 1) + 1, why);
}

bool is_forbidden_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

}  // namespace

struct TomlDocument::Parsed {
  toml::table root;
};

TomlDocument::TomlDocument(std::unique_ptr<Parsed> parsed) : parsed_(std::move(parsed)) {}
TomlDocument::TomlDocument(TomlDocument&&) noexcept = default;
TomlDocument& TomlDocument::operator=(TomlDocument&&) noexcept = default;
TomlDocument::~TomlDocument() = default;

Result<TomlDocument> TomlDocument::parse(std::string_view text) {
  // The parser takes some that TOML forbids for what they are not.
  const auto control = std::ranges::find_if(text, is_forbidden_control);
  if (control != text.end())
    return fail(fault_at_offset(text, static_cast<std::size_t>(control - text.begin()), "control character"));
  if (const auto fault = Scanner(text).find()) return fail(fault_at_offset(text, fault->offset, fault->why));
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(fault_at(error.source().begin.line, error.source().begin.column, error.description()));
  }
  // The document itself is a table too.
  if (depth_of(parsed.table()) > limits::toml_nesting_max + 1) return fail(fault_at(1, 1, "nested too deeply"));
  return TomlDocument(std::make_unique<Parsed>(std::move(parsed).table()));
}

std::string TomlDocument::cut(std::span<const wire::KeyPath> paths) const {
  Selection root;
  for (const wire::KeyPath& path : paths) {
    Selection* at = &root;
    for (const std::string& key : path) at = &at->children[key];
    at->whole = true;
  }
  Writer writer;
  writer.table("", parsed_->root, &root, false);
  return writer.take();
}

std::optional<std::string> TomlDocument::text_at(const wire::KeyPath& path) const {
  const toml::node* at = &parsed_->root;
  for (const std::string& key : path) {
    const toml::table* table = at->as_table();
    at = table == nullptr ? nullptr : table->get(key);
    if (at == nullptr) return std::nullopt;
  }
  return at->value<std::string>();
}

}  // namespace outpost::local
