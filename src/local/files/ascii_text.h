#pragma once

#include <string>
#include <string_view>

namespace outpost::local {

/// Writes a text in ASCII and back: each byte above becomes a word that the text has nowhere else. For a parser that is
/// to see no others; it takes the words for letters.
class AsciiText {
 public:
  explicit AsciiText(std::string_view text);

  const std::string& text() const { return text_; }
  /// What a part of `text` said before. A word that was cut apart stays as it is.
  std::string original(std::string_view part) const;

 private:
  std::string word_;  // and then two hexadecimal digits
  std::string text_;
};

}  // namespace outpost::local
