#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outpost::wire {

class JsonView;

enum class JsonType : std::uint8_t { null, boolean, number, string, array, object };

/// A parsed JSON text (RFC 8259) as one flat row of nodes in document order. It is meant to be filled again and again:
/// a message of ordinary size costs no allocation once the row has grown to it; after a huge one the memory goes back
/// (`limits::json_nodes_kept`, `limits::json_text_bytes_kept`).
///
/// Strings without escapes are views into the parsed text, which must therefore outlive every use of the document;
/// the others are decoded into memory of the document. Not for two threads at a time.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(JsonDocument&&) = delete;  // views point at the document

  /// The whole value; an absent view before the first successful parse.
  JsonView root() const;
  /// Forgets everything. Views of this document end here.
  void clear();
  /// Bytes of memory that the document holds.
  std::size_t memory_bytes() const { return nodes_.capacity() * sizeof(Node) + decoded_capacity_; }

 private:
  friend class JsonView;
  friend class JsonBuilder;

  enum class NodeKind : std::uint8_t { null, boolean, int64, uint64, real, string, array, object };
  struct Node {
    union {
      bool boolean;
      std::int64_t int64;
      std::uint64_t uint64;
      double real;
      const char* text;
    };
    std::uint32_t size;  ///< bytes of a string, elements of an array, members of an object
    std::uint32_t end;   ///< index of the first node behind this value and all it holds
    NodeKind kind;
  };

  static constexpr JsonType type_of(NodeKind kind) {
    switch (kind) {
      case NodeKind::null:
        return JsonType::null;
      case NodeKind::boolean:
        return JsonType::boolean;
      case NodeKind::int64:
      case NodeKind::uint64:
      case NodeKind::real:
        return JsonType::number;
      case NodeKind::string:
        return JsonType::string;
      case NodeKind::array:
        return JsonType::array;
      case NodeKind::object:
        return JsonType::object;
    }
    return JsonType::null;
  }

  std::vector<Node> nodes_;  ///< a member is its key (a string node), then its value
  std::unique_ptr<char[]> decoded_;
  std::size_t decoded_capacity_ = 0;
  std::size_t decoded_size_ = 0;
};

/// One value of a `JsonDocument`; holds until the document is parsed into again or cleared. A default view is *absent*:
/// it reads as null, and only `present` tells it from one. Never fails: a question that doesn't fit the type is
/// answered by nullopt, an empty text or an empty range.
class JsonView {
 public:
  class MemberIterator;
  class ElementIterator;
  struct Member;
  struct Members;
  struct Elements;

  JsonView() = default;

  bool present() const { return document_ != nullptr; }
  JsonType type() const { return present() ? JsonDocument::type_of(node().kind) : JsonType::null; }
  bool is_null() const { return type() == JsonType::null; }
  bool is_string() const { return type() == JsonType::string; }
  bool is_object() const { return type() == JsonType::object; }
  bool is_array() const { return type() == JsonType::array; }

  std::optional<bool> as_bool() const;
  /// A number without a fraction, whatever its spelling (`1`, `1.0`, `1e15`), that fits the type.
  std::optional<std::int64_t> as_int64() const;
  std::optional<std::uint64_t> as_uint64() const;
  /// Any number, rounded; beyond the range of a double it is infinite.
  std::optional<double> as_double() const;
  /// As `as_int64`, but only a number that is written as an integer (`1`, `-0`): the form that ids have.
  std::optional<std::int64_t> as_plain_int64() const;
  /// The text, decoded; empty for other types.
  std::string_view as_string() const {
    return is_string() ? std::string_view(node().text, node().size) : std::string_view();
  }

  /// Elements of an array, members of an object, bytes of a string; else 0.
  std::size_t size() const;
  /// In document order. Empty for other types.
  Members members() const;
  Elements elements() const;
  /// The value of a member of an object; absent where there is none. Linear in the number of members.
  JsonView find(std::string_view key) const;

 private:
  friend class JsonDocument;
  JsonView(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}
  const JsonDocument::Node& node() const { return document_->nodes_[index_]; }

  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

struct JsonView::Member {
  std::string_view key;
  JsonView value;
};

class JsonView::MemberIterator {
 public:
  using value_type = Member;
  using difference_type = std::ptrdiff_t;
  MemberIterator() = default;
  MemberIterator(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}
  Member operator*() const { return {JsonView(document_, index_).as_string(), JsonView(document_, index_ + 1)}; }
  MemberIterator& operator++() {
    index_ = document_->nodes_[index_ + 1].end;
    return *this;
  }
  MemberIterator operator++(int) {
    MemberIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const MemberIterator& other) const { return index_ == other.index_; }

 private:
  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class JsonView::ElementIterator {
 public:
  using value_type = JsonView;
  using difference_type = std::ptrdiff_t;
  ElementIterator() = default;
  ElementIterator(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}
  JsonView operator*() const { return {document_, index_}; }
  ElementIterator& operator++() {
    index_ = document_->nodes_[index_].end;
    return *this;
  }
  ElementIterator operator++(int) {
    ElementIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const ElementIterator& other) const { return index_ == other.index_; }

 private:
  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

struct JsonView::Members {
  MemberIterator first, last;
  MemberIterator begin() const { return first; }
  MemberIterator end() const { return last; }
};

struct JsonView::Elements {
  ElementIterator first, last;
  ElementIterator begin() const { return first; }
  ElementIterator end() const { return last; }
};

inline JsonView::Members JsonView::members() const {
  return is_object() ? Members{{document_, index_ + 1}, {document_, node().end}} : Members{};
}
inline JsonView::Elements JsonView::elements() const {
  return is_array() ? Elements{{document_, index_ + 1}, {document_, node().end}} : Elements{};
}

}  // namespace outpost::wire
