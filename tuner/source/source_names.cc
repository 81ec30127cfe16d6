#include "tuner/source/source_names.h"

#include <algorithm>

#include "gktune/element_type.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using LineKind = SourceLine::Kind;

// `int tile = 4;`, `tile[4]`, `tile{4}`, `tile;`, `tile(…)` behind a word that names a type.
bool declares(Tokens tokens, std::size_t at) {
  if (at == 0 || at + 1 == tokens.size()) return false;
  const std::string_view before = tokens[at - 1].text;
  const bool is_type = before == "auto" || before == "bool" || before == "constexpr" || before == "void" ||
                       element_type_from_name(before).has_value();
  const Token& after = tokens[at + 1];
  return is_type && (after == "=" || after == ";" || after == "[" || after == "{" || after == "(");
}

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

// `f(…) {`, and no `if (…) {`. `before` is the index of the name.
bool is_function(Tokens tokens, std::size_t before) {
  const Token& word = tokens[before];
  if (is_any_of(word.text, {"if", "for", "while", "switch", "constexpr"})) return false;
  if (!word.is_word() && word != "]" && word != ">") return false;
  std::size_t after = closing_bracket(tokens, before + 1) + 1;
  while (after < tokens.size() && is_any_of(tokens[after].text, {"const", "mutable", "noexcept"})) ++after;
  if (after >= tokens.size()) return false;
  return tokens[after] == "{" ||
         (tokens[after] == "-" && after + 1 < tokens.size() && tokens[after + 1] == ">");
}

std::string bare_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

}  // namespace

SourceMacros::SourceMacros(const FlatSource& source)
    : lines_(source.lines), is_unconditional_(unconditional_lines(source)) {}

// The tokens of a line of code that is compiled in any case; none for other lines.
std::vector<Token> SourceMacros::code_at(std::size_t line) const {
  const bool is_code = is_unconditional_[line] && lines_[line].kind == LineKind::code;
  return is_code ? tokenize(lines_[line].text) : std::vector<Token>();
}

MacroUse SourceMacros::find(std::string_view name) const {
  MacroUse use;
  std::string_view file;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const SourceLine& line = lines_[i];
    if (line.kind == LineKind::place) {
      file = line.name;
      continue;
    }
    if (line.text.find(name) == std::string::npos) continue;
    const auto place = [&] { return std::string(file) + ':' + std::to_string(line.number); };
    const bool is_define = line.kind == LineKind::define && line.name == name;
    // Behind #ifndef it is a default for other compilers.
    const bool is_default = i > 0 && lines_[i - 1].name == "ifndef";
    if (is_define && is_unconditional_[i] && !is_default && !use.redefined_at) use.redefined_at = place();
    if (!is_define) use.is_used = use.is_used || has(tokenize(line.text), name);
    if (use.declared_at) continue;
    std::vector<Token> tokens = code_at(i);
    if (!has(tokens, name)) continue;
    // The declaration may go on in the lines around it.
    std::vector<Token> before, after;
    for (std::size_t k = i; before.empty() && k-- > 0;) before = code_at(k);
    for (std::size_t k = i + 1; after.empty() && k < lines_.size(); ++k) after = code_at(k);
    if (!before.empty()) tokens.insert(tokens.begin(), before.back());
    if (!after.empty()) tokens.push_back(after.front());
    for (std::size_t k = 0; k < tokens.size() && !use.declared_at; ++k) {
      if (tokens[k] == name && declares(tokens, k)) use.declared_at = place();
    }
  }
  return use;
}

std::set<std::string, std::less<>> unused_names(const FlatSource& source,
                                                const std::vector<std::string>& names,
                                                const std::set<std::string, std::less<>>& mentioned) {
  // Headers of CUDA and of the system see no parameters.
  if (std::ranges::find(source.lines, LineKind::include, &SourceLine::kind) != source.lines.end()) return {};
  std::set<std::string, std::less<>> unused(names.begin(), names.end());
  std::erase_if(unused, [&](const std::string& name) { return mentioned.contains(name); });
  for (const SourceLine& line : source.lines) {
    // A macro may join parts to a name.
    if (line.kind == LineKind::define && line.text.find("##") != std::string::npos) return {};
    std::erase_if(unused, [&](const std::string& name) {
      return line.kind != LineKind::place && line.text.find(name) != std::string::npos &&
             has(tokenize(line.text), name);
    });
  }
  return unused;
}

std::set<std::string, std::less<>> declared_names(const FlatSource& source) {
  std::string code;
  const std::vector<bool> is_unconditional = unconditional_lines(source);
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    if (source.lines[i].kind == SourceLine::Kind::code && is_unconditional[i]) code += source.lines[i].text;
  }
  const std::vector<Token> tokens = code_tokens(code);
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool is_template = tokens[i] == "template" && tokens[i + 1] == "<";
    if (!is_template && (tokens[i + 1] != "(" || !is_function(tokens, i))) continue;
    for (const Tokens item : split_list(tokens, i + 1)) {
      if (const auto name = declared_name(item); !name.empty()) names.emplace(name);
    }
  }
  for (const SourceLine& line : source.lines) {
    if (line.kind != SourceLine::Kind::condition && line.kind != SourceLine::Kind::undef) continue;
    for (const Token& token : tokenize(line.text)) {
      if (const auto name = names.find(token.text); name != names.end()) names.erase(name);
    }
  }
  return names;
}

std::optional<std::string> missing_function(const std::string& entry, const std::string& path,
                                            std::string_view text) {
  const std::string name = bare_name(entry);
  std::vector<std::string> functions;
  const std::vector<Token> tokens = tokenize(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::word) continue;
    if (tokens[i] == name) return std::nullopt;
    if (i + 1 < tokens.size() && tokens[i + 1] == "(") functions.emplace_back(tokens[i].text);
  }
  return path + " has no function '" + name + "'" + did_you_mean(name, functions) + '\n';
}

}  // namespace gktune
