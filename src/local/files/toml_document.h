#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/protocol/environment_config.h"

namespace outpost::local {

/// A TOML file, of which parts are given as text again. Any thread, one at a time.
class TomlDocument {
 public:
  /// Fails with `io` and `LINE:COLUMN: WHY`; keys and values nested too deeply (`limits::toml_nesting_max`) fail too.
  static Result<TomlDocument> parse(std::string_view text);
  TomlDocument(TomlDocument&&) noexcept;
  TomlDocument& operator=(TomlDocument&&) noexcept;
  ~TomlDocument();

  /// What `paths` name, in the order of the file: a matching part whole, an ancestor that is no table as it is, an
  /// ancestor table even if nothing of it was asked for is there. One line a value, one header a table, tables behind
  /// values. Empty if nothing is left.
  std::string cut(std::span<const wire::KeyPath> paths) const;
  /// The text at a path; none if there is no text.
  std::optional<std::string> text_at(const wire::KeyPath& path) const;

 private:
  struct Parsed;
  explicit TomlDocument(std::unique_ptr<Parsed> parsed);
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace outpost::local
