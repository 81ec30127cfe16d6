#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// A token of C++, as a part of the source's text. Blanks, line ends and joined lines lie between tokens.
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

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words);
bool has(Tokens tokens, std::string_view text);  // one of them is this

std::vector<Token> tokenize(std::string_view source);
// The tokens that the compiler proper sees: neither comments nor preprocessor lines.
std::vector<Token> code_tokens(std::string_view source);

// The index of the bracket that closes the one at `open`, one of ( [ { <. The number of tokens if none does.
std::size_t closing_bracket(Tokens tokens, std::size_t open);

// The parts between the commas of the list that opens at `open`. Lists inside stay whole. Nothing if the list
// is not closed.
std::vector<Tokens> split_list(Tokens tokens, std::size_t open);

// The tokens as text, with blanks only between words and after commas: const float*.
std::string text_of(Tokens tokens);

// True for `extern "C"` at this index.
bool is_c_linkage(Tokens tokens, std::size_t at);

}  // namespace gktune
