#include "tuner/space/declared_names.h"

#include <algorithm>
#include <vector>

#include "tuner/source/tokens.h"

namespace gktune {
namespace {

// The last name of `const T* __restrict__ in`, of `float x[4]`, of `int tile = 32`; nothing for a type
// without a name.
std::string_view declared_name(Tokens parameter) {
  parameter = parameter.first(static_cast<std::size_t>(
      std::ranges::find(parameter, std::string_view("="), &Token::text) - parameter.begin()));
  while (!parameter.empty() && parameter.back() == "]") {
    std::size_t open = parameter.size() - 1;
    for (int depth = 1; open > 0 && depth > 0;) {
      --open;
      if (parameter[open] == "]") ++depth;
      if (parameter[open] == "[") --depth;
    }
    parameter = parameter.first(open);
  }
  if (parameter.size() < 2 || !parameter.back().is_word()) return {};
  const bool has_type = std::ranges::any_of(parameter.first(parameter.size() - 1), [](const Token& token) {
    return token.is_word() && token != "const" && token != "volatile";
  });
  const bool is_qualified = parameter[parameter.size() - 2] == ":";
  return has_type && !is_qualified ? parameter.back().text : std::string_view();
}

class Collector {
 public:
  explicit Collector(Tokens tokens) : tokens_(tokens) {}

  std::set<std::string, std::less<>> run() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] == "template" && tokens_[i + 1] == "<") add_list(i + 1);
      if (tokens_[i + 1] == "(" && is_function(i)) add_list(i + 1);
    }
    return std::move(names_);
  }

 private:
  // `f(…) {`, and no `if (…) {`.
  bool is_function(std::size_t before) const {
    static constexpr std::string_view kStatements[] = {"if", "for", "while", "switch", "constexpr"};
    const Token& word = tokens_[before];
    if (std::ranges::find(kStatements, word.text) != std::end(kStatements)) return false;
    if (!word.is_word() && word != "]" && word != ">") return false;
    std::size_t after = closing_bracket(tokens_, before + 1) + 1;
    while (after < tokens_.size() &&
           (tokens_[after] == "const" || tokens_[after] == "mutable" || tokens_[after] == "noexcept")) {
      ++after;
    }
    if (after >= tokens_.size()) return false;
    return tokens_[after] == "{" ||
           (tokens_[after] == "-" && after + 1 < tokens_.size() && tokens_[after + 1] == ">");
  }

  void add_list(std::size_t open) {
    for (Tokens item : split_list(tokens_, open)) {
      if (const auto name = declared_name(item); !name.empty()) names_.emplace(name);
    }
  }

  Tokens tokens_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

std::set<std::string, std::less<>> declared_names(const FlatSource& source) {
  std::string code;
  const std::vector<bool> is_unconditional = unconditional_lines(source);
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    if (source.lines[i].kind == SourceLine::Kind::code && is_unconditional[i]) code += source.lines[i].text;
  }
  const std::vector<Token> tokens = code_tokens(code);
  auto names = Collector(tokens).run();
  for (const SourceLine& line : source.lines) {
    if (line.kind != SourceLine::Kind::condition && line.kind != SourceLine::Kind::undef) continue;
    for (const Token& token : tokenize(line.text)) {
      if (const auto name = names.find(token.text); name != names.end()) names.erase(name);
    }
  }
  return names;
}

}  // namespace gktune
