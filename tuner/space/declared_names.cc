#include "tuner/space/declared_names.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "tuner/core/letters.h"
#include "tuner/space/source_lines.h"

namespace gktune {
namespace {

using Tokens = std::span<const std::string_view>;

bool is_name(std::string_view token) { return is_letter(token.front()); }

// Words, and single characters of all else; a literal is one token.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"' || text[at] == '\'') {
      while (end < text.size() && text[end] != text[at] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (is_word(text[at])) {
      const bool is_number = is_digit(text[at]);
      while (end < text.size() && (is_word(text[end]) || (is_number && text[end] == '\''))) ++end;
    }
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

// The place of the bracket that closes the one at `open`; the end of the tokens where none does.
std::size_t closing(Tokens tokens, std::size_t open) {
  const bool is_angle = tokens[open] == "<";
  int depth = 0, angles = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (token == "(" || token == "[" || token == "{") ++depth;
    if (token == ")" || token == "]" || token == "}") --depth;
    if (is_angle && depth == 0 && token == "<") ++angles;
    if (is_angle && depth == 0 && token == ">") --angles;
    if (depth < 0 || token == ";") break;
    if (depth == 0 && angles == 0) return i;
  }
  return tokens.size();
}

// The last name of `const T* __restrict__ in`, of `float x[4]`, of `int tile = 32`; none where a type stands
// alone.
std::string_view declared_name(Tokens parameter) {
  parameter = parameter.first(
      static_cast<std::size_t>(std::ranges::find(parameter, std::string_view("=")) - parameter.begin()));
  while (!parameter.empty() && parameter.back() == "]") {
    std::size_t open = parameter.size() - 1;
    for (int depth = 1; open > 0 && depth > 0;) {
      --open;
      if (parameter[open] == "]") ++depth;
      if (parameter[open] == "[") --depth;
    }
    parameter = parameter.first(open);
  }
  if (parameter.size() < 2 || !is_name(parameter.back())) return {};
  const bool has_type = std::ranges::any_of(
      parameter.first(parameter.size() - 1),
      [](std::string_view token) { return is_name(token) && token != "const" && token != "volatile"; });
  const bool is_qualified = parameter[parameter.size() - 2] == ":";
  return has_type && !is_qualified ? parameter.back() : std::string_view();
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
    const std::string_view word = tokens_[before];
    if (std::ranges::find(kStatements, word) != std::end(kStatements)) return false;
    if (!is_name(word) && word != "]" && word != ">") return false;
    std::size_t after = closing(tokens_, before + 1) + 1;
    while (after < tokens_.size() &&
           (tokens_[after] == "const" || tokens_[after] == "mutable" || tokens_[after] == "noexcept")) {
      ++after;
    }
    if (after >= tokens_.size()) return false;
    return tokens_[after] == "{" ||
           (tokens_[after] == "-" && after + 1 < tokens_.size() && tokens_[after + 1] == ">");
  }

  // Of what stands between the brackets, parted by commas that no bracket within holds.
  void add_list(std::size_t open) {
    const std::size_t end = closing(tokens_, open);
    if (end == tokens_.size()) return;
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i <= end; ++i) {
      const std::string_view token = tokens_[i];
      if (i == end || token == ",") {
        if (const auto name = declared_name(tokens_.subspan(begin, i - begin)); !name.empty())
          names_.emplace(name);
        begin = i + 1;
      } else if (token == "(" || token == "[" || token == "{" || token == "<") {
        if (const std::size_t close = closing(tokens_, i); close < end) i = close;  // else: an operator
      }
    }
  }

  Tokens tokens_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

std::set<std::string, std::less<>> declared_names(std::string_view source) {
  std::string code;
  std::vector<std::string> asked_for;
  std::vector<bool> is_guard;  // of each #if that is open
  const std::vector<SourceLine> lines = split_source(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == SourceLine::Kind::code && std::ranges::find(is_guard, false) == is_guard.end()) {
      code += lines[i].text;
    }
    if (lines[i].kind != SourceLine::Kind::condition) continue;
    const auto words = tokens_of(lines[i].text);  // # if …
    if (words.size() > 1 && words[1] == "endif") {
      if (!is_guard.empty()) is_guard.pop_back();
    } else if (words.size() > 1 && words[1].starts_with("if")) {
      const bool is_defined_next = i + 1 < lines.size() && lines[i + 1].kind == SourceLine::Kind::define;
      is_guard.push_back(words[1] == "ifndef" && words.size() > 2 && is_defined_next &&
                         lines[i + 1].name == words[2]);
    }
    asked_for.insert(asked_for.end(), words.begin(), words.end());
  }
  auto names = Collector(tokens_of(code)).run();
  for (const std::string& word : asked_for) names.erase(word);
  return names;
}

}  // namespace gktune
