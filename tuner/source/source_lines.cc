#include "tuner/source/source_lines.h"

#include <algorithm>
#include <utility>

#include "tuner/source/tokens.h"

namespace gktune {
namespace {

using Kind = SourceLine::Kind;

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<SourceLine> run() {
    const std::vector<Token> tokens = tokenize(text_);
    lines_.reserve(static_cast<std::size_t>(std::ranges::count(text_, '\n')) + 1);
    for (const Token& token : tokens) {
      add_blanks(static_cast<std::size_t>(token.text.data() - text_.data()));
      if (token.kind == Token::Kind::comment) {
        add_comment(token);
      } else {
        line_.text += token.text;
        line_.written += token.text;
        if (token.is_directive) directive_.push_back(token);
      }
      at_ += token.text.size();
    }
    add_blanks(text_.size());
    if (!line_.written.empty()) {
      line_.text += '\n';
      line_.written += '\n';
      end_line();
    }
    return std::move(lines_);
  }

 private:
  void add_blanks(std::size_t end) {
    while (at_ < end) {
      const std::size_t line_end = std::min(text_.find('\n', at_), end);
      const bool ends_line = line_end < end;
      const std::string_view blanks = text_.substr(at_, line_end + (ends_line ? 1 : 0) - at_);
      line_.text += blanks;
      line_.written += blanks;
      at_ += blanks.size();
      if (!ends_line) continue;
      const std::string_view before = std::string_view(line_.text).substr(0, line_.text.size() - 1);
      if (!before.ends_with('\\') && !before.ends_with("\\\r")) end_line();
    }
  }

  void add_comment(const Token& comment) {
    for (const char c : comment.text) {
      line_.written += c;
      if (c != '\n') {
        line_.text += ' ';
      } else if (comment.is_directive) {
        line_.text += "\\\n";
      } else {
        line_.text += '\n';
        end_line();
      }
    }
  }

  void end_line() {
    classify();
    line_.number = number_;
    number_ += height_of(line_);
    lines_.push_back(std::exchange(line_, {}));
    directive_.clear();
  }

  void classify() {
    if (directive_.empty()) return;
    const auto text = [&](std::size_t i) {
      return i < directive_.size() ? directive_[i].text : std::string_view();
    };
    const std::string_view keyword = text(1);
    if (keyword == "include") {
      line_.kind = Kind::include;
      line_.name = text(2);
    } else if (keyword == "define" || keyword == "undef") {
      line_.kind = keyword == "define" ? Kind::define : Kind::undef;
      line_.name = text(2);
    } else if (keyword.starts_with("if") || keyword.starts_with("el") || keyword == "endif") {
      line_.kind = Kind::condition;
      line_.name = keyword;
    } else if (keyword == "pragma" && text(2) == "once") {
      line_.kind = Kind::once;
    } else {
      line_.kind = Kind::directive;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int number_ = 1;
  SourceLine line_;
  std::vector<Token> directive_;  // tokens of the line, if it is a directive
  std::vector<SourceLine> lines_;
};

}  // namespace

std::vector<SourceLine> split_source(std::string_view text) { return Splitter(text).run(); }

bool is_blank(const SourceLine& line) {
  return line.text.find_first_not_of(" \t\r\n\\") == std::string::npos;
}

int height_of(const SourceLine& line) { return static_cast<int>(std::ranges::count(line.text, '\n')); }

}  // namespace gktune
