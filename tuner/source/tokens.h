#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// A C++ token. Its text is a part of the source. Blanks and line ends are between tokens.
struct Token {
  // Keep it small: the headers of a library have millions of tokens.
  enum class Kind : unsigned char {
    word,
    number,
    literal,  // a string, also a raw one; a character; the file that an #include names: "x.h" or <x.h>
    comment,
    punctuation,  // one character
  };
  Kind kind = Kind::punctuation;
  bool is_directive = false;  // part of a preprocessor line, which begins with "#"
  std::string_view text;

  bool is_word() const { return kind == Kind::word; }
  friend bool operator==(const Token& token, std::string_view other) { return token.text == other; }
};
using Tokens = std::span<const Token>;

bool is_any_of(std::string_view text, std::span<const std::string_view> words);
inline bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return is_any_of(text, std::span(words.begin(), words.size()));
}
bool has(Tokens tokens, std::string_view text);  // true if one of the tokens has this text

std::vector<Token> tokenize(std::string_view source);
// The tokens without comments and preprocessor lines.
std::vector<Token> code_tokens(std::string_view source);

// The source with one form of all comments and blanks that mean nothing to the compiler. Sources with equal texts
// compile to the same code. Where __LINE__ and its kin make lines count, the source as it is.
std::string without_layout(std::string_view source);

// The index of the bracket that closes the bracket at `open`: ( [ { or <. The number of
// tokens if nothing closes it.
std::size_t closing_bracket(Tokens tokens, std::size_t open);

// The index of the name in front of the bracket at `open`: of copy in copy(…) and in copy<float>(…). `open`
// if there is none from `begin` on.
std::size_t name_before(Tokens tokens, std::size_t begin, std::size_t open);

// Splits the list in the brackets that open at `open` at its commas, but not at commas of inner lists.
// Empty if no bracket closes it.
std::vector<Tokens> split_list(Tokens tokens, std::size_t open);

// The text of the tokens, with blanks only between words and after commas: const float*.
std::string text_of(Tokens tokens);

// True for `extern "C"` at this index.
bool is_c_linkage(Tokens tokens, std::size_t at);

// Replaces parts of a text and keeps its number of lines.
class Edits {
 public:
  // The text must outlive the edits, and tokens must be parts of it.
  explicit Edits(std::string_view text) : text_(text) {}

  // Replaces the text from `first` to `last`, both included. Call it in the order of the text.
  void replace(const Token& first, const Token& last, std::string replacement);
  std::string apply() const;

 private:
  struct Edit {
    std::string_view replaced;
    std::string replacement;
  };
  std::string_view text_;
  std::vector<Edit> edits_;
};

}  // namespace gktune
