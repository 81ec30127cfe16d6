#include "tuner/space/source_macros.h"

#include <algorithm>
#include <vector>

#include "tuner/core/element_type.h"
#include "tuner/source/tokens.h"

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

}  // namespace

SourceMacros::SourceMacros(const FlatSource& source) {
  const std::vector<bool> is_unconditional = unconditional_lines(source);
  std::string_view file;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const SourceLine& line = source.lines[i];
    if (line.kind == LineKind::place) {
      file = line.name;
      continue;
    }
    const bool is_define = line.kind == LineKind::define;
    const std::vector<Token> tokens = tokenize(line.text);
    for (const Token& token : tokens) {
      if (token.is_word() && !(is_define && token == line.name)) words_.insert(token.text);
    }
    if (!is_unconditional[i]) continue;
    // Behind #ifndef it is a default for other compilers.
    const bool is_default = i > 0 && source.lines[i - 1].name == "ifndef";
    if (is_define && !is_default)
      redefined_at_.try_emplace(line.name, std::string(file) + ':' + std::to_string(line.number));
    if (line.kind != LineKind::code || tokens.empty()) continue;
    lines_.push_back({file, line.number, tokens_.size()});
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }
}

MacroUse SourceMacros::find(std::string_view name) const {
  MacroUse use;
  use.is_used = words_.contains(name);
  if (const auto found = redefined_at_.find(name); found != redefined_at_.end())
    use.redefined_at = found->second;
  for (std::size_t i = 0; i < tokens_.size() && !use.declared_at; ++i) {
    if (tokens_[i] != name || !declares(tokens_, i)) continue;
    const Line& line = *std::prev(std::ranges::upper_bound(lines_, i, {}, &Line::first_token));
    use.declared_at = std::string(line.file) + ':' + std::to_string(line.number);
  }
  return use;
}

}  // namespace gktune
