#include "tuner/space/source_lines.h"

#include <algorithm>

#include "tuner/core/letters.h"

namespace gktune {
namespace {

// The text with its comments turned into blanks, and which offsets lie inside a literal.
struct Uncommented {
  std::string text;
  std::vector<bool> in_literal;
};

class CommentEraser {
 public:
  explicit CommentEraser(std::string_view text) : text_(text) {
    result_.text = std::string(text);
    result_.in_literal.assign(text.size() + 1, false);
  }

  Uncommented run() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        blank_until(end_of_line(at_));
      } else if (text_.substr(at_, 2) == "/*") {
        const auto end = text_.find("*/", at_ + 2);
        blank_until(end == std::string_view::npos ? text_.size() : end + 2);
      } else if (text_[at_] == '"') {
        literal_until(is_raw() ? end_of_raw() : end_of_quoted('"'));
      } else if (text_[at_] == '\'' && (at_ == 0 || !is_word(text_[at_ - 1]))) {  // else: 1'000
        literal_until(end_of_quoted('\''));
      } else {
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  // Of a line that may be continued.
  std::size_t end_of_line(std::size_t from) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\n' && (i == 0 || text_[i - 1] != '\\')) return i;
    }
    return text_.size();
  }
  std::size_t end_of_quoted(char quote) const {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        return i + 1;
      } else if (text_[i] == '\n') {
        return i;  // not closed: the compiler will say so
      }
    }
    return text_.size();
  }
  bool is_raw() const { return at_ > 0 && text_[at_ - 1] == 'R'; }
  std::size_t end_of_raw() const {
    const auto open = text_.find('(', at_);
    if (open == std::string_view::npos) return text_.size();
    const std::string closing = ')' + std::string(text_.substr(at_ + 1, open - at_ - 1)) + '"';
    const auto end = text_.find(closing, open);
    return end == std::string_view::npos ? text_.size() : end + closing.size();
  }
  void blank_until(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') result_.text[at_] = ' ';
    }
  }
  void literal_until(std::size_t end) {
    for (; at_ < end; ++at_) result_.in_literal[at_] = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Uncommented result_;
};

std::string_view without_leading_blanks(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\\\n\r");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin()));
}

void classify(SourceLine& line) {
  std::string_view rest = without_leading_blanks(line.text);
  if (!rest.starts_with('#')) return;
  rest = without_leading_blanks(rest.substr(1));
  const std::string_view directive = first_word(rest);
  rest = without_leading_blanks(rest.substr(directive.size()));
  if (directive == "include") {
    line.kind = SourceLine::Kind::include;
    const char closing = rest.starts_with('<') ? '>' : '"';
    const auto end = rest.empty() ? std::string_view::npos : rest.find(closing, 1);
    line.name = std::string(end == std::string_view::npos ? rest : rest.substr(0, end + 1));
  } else if (directive == "define") {
    line.kind = SourceLine::Kind::define;
    line.name = std::string(first_word(rest));
  } else if (directive.starts_with("if") || directive.starts_with("el") || directive == "endif" ||
             directive == "undef") {
    line.kind = SourceLine::Kind::condition;
  } else if (directive == "pragma" && first_word(rest) == "once") {
    line.kind = SourceLine::Kind::once;
  } else {
    line.kind = SourceLine::Kind::directive;
  }
}

}  // namespace

std::vector<SourceLine> split_source(std::string_view text) {
  const Uncommented clean = CommentEraser(text).run();
  std::vector<SourceLine> lines;
  std::size_t start = 0;
  while (start < clean.text.size()) {
    const bool is_literal = clean.in_literal[start];
    std::size_t end = start;
    do {
      end = std::min(clean.text.find('\n', end), clean.text.size() - 1) + 1;
    } while (end < clean.text.size() && end >= 2 && clean.text[end - 2] == '\\');
    SourceLine line;
    line.text = clean.text.substr(start, end - start);
    if (!line.text.ends_with('\n')) line.text += '\n';
    if (!is_literal) classify(line);
    lines.push_back(std::move(line));
    start = end;
  }
  return lines;
}

}  // namespace gktune
