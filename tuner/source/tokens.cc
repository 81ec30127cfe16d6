#include "tuner/source/tokens.h"

#include <algorithm>
#include <string>

#include "tuner/core/text.h"

namespace gktune {
namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 4);  // headers have fewer
    while (true) {
      skip_blanks();
      if (at_ >= text_.size()) return std::move(tokens_);
      add_token();
    }
  }

 private:
  char peek(std::size_t offset) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }

  // The length of a backslash and the line end behind it; 0 if there is none.
  std::size_t joined_line_end(std::size_t at) const {
    if (at >= text_.size() || text_[at] != '\\') return 0;
    const std::string_view rest = text_.substr(at);
    return rest.starts_with("\\\n") ? 2 : rest.starts_with("\\\r\n") ? 3 : 0;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        is_line_start_ = true;
        is_directive_ = false;
        ++at_;
      } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
      } else if (const std::size_t joined = joined_line_end(at_)) {
        at_ += joined;
      } else {
        return;
      }
    }
  }

  void add_token() {
    const char c = text_[at_];
    if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      add(Token::Kind::comment, peek(1) == '/' ? end_of_line() : end_behind("*/", at_ + 2));
      return;
    }
    if (is_line_start_ && c == '#') is_directive_ = true;
    is_line_start_ = false;
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      add(Token::Kind::number, end_of_number());
    } else if (is_letter(c)) {
      std::size_t end = at_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      const std::string_view word = text_.substr(at_, end - at_);
      const bool is_raw = end < text_.size() && text_[end] == '"' &&
                          (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R");
      if (is_raw) {
        add(Token::Kind::literal, end_of_raw(end));
      } else {
        add(Token::Kind::word, end);
      }
    } else if (c == '"' || c == '\'') {
      add(Token::Kind::literal, end_of_quoted(c));
    } else if (c == '<' && names_included_file()) {
      add(Token::Kind::literal, std::min(end_behind(">", at_), end_of_line()));
    } else {
      add(Token::Kind::punctuation, at_ + 1);
    }
  }

  void add(Token::Kind kind, std::size_t end) {
    tokens_.push_back({kind, is_directive_, text_.substr(at_, end - at_)});
    at_ = end;
  }

  std::size_t end_behind(std::string_view closing, std::size_t from) const {
    const std::size_t found = text_.find(closing, from);
    return found == std::string_view::npos ? text_.size() : found + closing.size();
  }
  // The end of a line that may be continued.
  std::size_t end_of_line() const {
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (const std::size_t joined = joined_line_end(i)) {
        i += joined - 1;
      } else if (text_[i] == '\n') {
        return i;
      }
    }
    return text_.size();
  }
  // An unclosed quote ends with its line: the compiler reports it.
  std::size_t end_of_quoted(char quote) const {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        i += std::max<std::size_t>(joined_line_end(i), 2) - 1;
      } else if (text_[i] == quote) {
        return i + 1;
      } else if (text_[i] == '\n') {
        return i;
      }
    }
    return text_.size();
  }
  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos) return text_.size();
    return end_behind(')' + std::string(text_.substr(quote + 1, open - quote - 1)) + '"', open);
  }
  // 0x1p-3, 1'000, 2.5f: one number of the preprocessor each.
  std::size_t end_of_number() const {
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      const char c = text_[end], last = text_[end - 1];
      const bool is_exponent = last == 'e' || last == 'E' || last == 'p' || last == 'P';
      const bool is_separator = c == '\'' && end + 1 < text_.size() && is_word(text_[end + 1]);
      if (!is_word(c) && c != '.' && !is_separator && !((c == '+' || c == '-') && is_exponent)) break;
      ++end;
    }
    return end;
  }
  // Behind `#include`.
  bool names_included_file() const {
    std::size_t found = 0;
    for (auto token = tokens_.rbegin(); token != tokens_.rend() && token->is_directive; ++token) {
      if (token->kind == Token::Kind::comment) continue;
      if (++found == 1 && *token != "include") return false;
      if (found == 2) return *token == "#";
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_line_start_ = true, is_directive_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_any_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool has(Tokens tokens, std::string_view text) {
  return std::ranges::find(tokens, text, &Token::text) != tokens.end();
}

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

std::vector<Token> code_tokens(std::string_view source) {
  std::vector<Token> tokens = tokenize(source);
  std::erase_if(tokens,
                [](const Token& token) { return token.is_directive || token.kind == Token::Kind::comment; });
  return tokens;
}

namespace {

// True if a line ends in the blanks between two tokens.
bool ends_line(std::string_view blanks) {
  for (std::size_t at = blanks.find('\n'); at != std::string_view::npos; at = blanks.find('\n', at + 1)) {
    const std::string_view line = blanks.substr(0, at);
    if (!line.ends_with('\\') && !line.ends_with("\\\r")) return true;
  }
  return false;
}

// True if a blank between the tokens may mean something: int x, + +, 1 -2. In a directive any may: F (x) is no macro
// with a parameter.
bool is_blank_significant(const Token& before, const Token& after) {
  if (after.is_directive) return true;
  const auto is_operator = [](const Token& token) {
    return std::string_view("+-*/%&|^<>=!:#.").find(token.text) != std::string_view::npos;
  };
  const bool ends_word = before.kind != Token::Kind::punctuation;
  if (after.kind != Token::Kind::punctuation) return ends_word || before == ".";
  return is_operator(after) && (is_operator(before) || before.kind == Token::Kind::number);
}

}  // namespace

std::string without_layout(std::string_view source) {
  const std::vector<Token> tokens = tokenize(source);
  constexpr std::string_view kPlaces[] = {"__LINE__", "__COUNTER__", "__builtin_LINE", "source_location"};
  if (std::ranges::any_of(tokens, [&](const Token& token) { return is_any_of(token.text, kPlaces); }))
    return std::string(source);
  std::string text;
  const Token* before = nullptr;  // the latest that is no comment
  const char* end = source.data();
  bool is_new_line = false, is_apart = false;
  for (const Token& token : tokens) {
    is_new_line |= ends_line({end, token.text.data()});
    is_apart |= token.text.data() != end || token.kind == Token::Kind::comment;
    end = token.text.data() + token.text.size();
    if (token.kind == Token::Kind::comment) continue;
    if (before != nullptr && is_new_line && (token.is_directive || before->is_directive))
      text += '\n';
    else if (before != nullptr && is_apart && is_blank_significant(*before, token))
      text += ' ';
    text += token.text;
    before = &token;
    is_new_line = is_apart = false;
  }
  return text;
}

std::size_t closing_bracket(Tokens tokens, std::size_t open) {
  const bool is_angle = tokens[open] == "<";
  int depth = 0, angles = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::punctuation) continue;
    const char c = tokens[i].text.front();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (is_angle && depth == 0 && c == '<') ++angles;
    if (is_angle && depth == 0 && c == '>') --angles;
    if (depth < 0 || (is_angle && c == ';')) break;
    if (depth == 0 && angles == 0) return i;
  }
  return tokens.size();
}

std::size_t name_before(Tokens tokens, std::size_t begin, std::size_t open) {
  if (open <= begin) return open;
  if (tokens[open - 1] != ">") return open - 1;
  int depth = 0;
  for (std::size_t at = open - 1; at > begin; --at) {
    if (tokens[at] == ">") ++depth;
    if (tokens[at] == "<" && --depth == 0) return at - 1;
  }
  return open;
}

std::vector<Tokens> split_list(Tokens tokens, std::size_t open) {
  std::vector<Tokens> items;
  const std::size_t end = closing_bracket(tokens, open);
  if (end == tokens.size() || end == open + 1) return items;
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i <= end; ++i) {
    const Token& token = tokens[i];
    if (i == end || token == ",") {
      items.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    } else if (token == "(" || token == "[" || token == "{" || token == "<") {
      if (const std::size_t close = closing_bracket(tokens, i); close < end) i = close;  // else: an operator
    }
  }
  return items;
}

std::string text_of(Tokens tokens) {
  std::string text;
  const Token* last = nullptr;
  for (const Token& token : tokens) {
    const bool is_word = token.is_word() || token.kind == Token::Kind::number;
    const bool follows_type =
        last != nullptr && (last->is_word() || *last == "*" || *last == ">" || *last == "&");
    if ((is_word && follows_type) || (last != nullptr && *last == ",")) text += ' ';
    text += token.text;
    last = &token;
  }
  return text;
}

bool is_c_linkage(Tokens tokens, std::size_t at) {
  return tokens[at] == "extern" && at + 1 < tokens.size() && tokens[at + 1] == "\"C\"";
}

void Edits::replace(const Token& first, const Token& last, std::string replacement) {
  const auto begin = static_cast<std::size_t>(first.text.data() - text_.data());
  const auto end = static_cast<std::size_t>(last.text.data() - text_.data()) + last.text.size();
  const std::string_view replaced = text_.substr(begin, end - begin);
  replacement.append(static_cast<std::size_t>(std::ranges::count(replaced, '\n')), '\n');
  edits_.push_back({replaced, std::move(replacement)});
}

std::string Edits::apply() const {
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    const auto begin = static_cast<std::size_t>(edit.replaced.data() - text_.data());
    result += text_.substr(at, begin - at);
    result += edit.replacement;
    at = begin + edit.replaced.size();
  }
  result += text_.substr(at);
  return result;
}

}  // namespace gktune
