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

MacroUse find_macro(const FlatSource& source, const std::string& name) {
  MacroUse use;
  const std::vector<bool> is_unconditional = unconditional_lines(source);
  std::string file, code;
  struct Begin {
    std::size_t offset;  // in the code
    std::string place;
  };
  std::vector<Begin> begins;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const SourceLine& line = source.lines[i];
    if (line.kind == LineKind::place) {
      file = line.name;
      continue;
    }
    if (line.text.find(name) == std::string::npos) {
      if (line.kind == LineKind::code && is_unconditional[i]) code += line.text;
      continue;
    }
    const auto place = [&](int lines) { return file + ':' + std::to_string(line.number + lines); };
    const std::vector<Token> tokens = tokenize(line.text);
    const bool is_named = std::ranges::any_of(
        tokens, [&](const Token& token) { return token.kind == Token::Kind::word && token == name; });
    const bool is_define = line.kind == LineKind::define && line.name == name;
    use.is_used = use.is_used || (is_named && !is_define);
    // Behind #ifndef it is a default for other compilers.
    const bool is_default = i > 0 && source.lines[i - 1].name == "ifndef";
    if (is_define && is_unconditional[i] && !is_default && !use.redefined_at) use.redefined_at = place(0);
    if (line.kind != LineKind::code || !is_unconditional[i]) continue;
    begins.push_back({code.size(), place(0)});
    code += line.text;
  }
  const std::vector<Token> tokens = code_tokens(code);
  for (std::size_t i = 0; i < tokens.size() && !use.declared_at; ++i) {
    if (tokens[i] != name || !declares(tokens, i)) continue;
    const auto offset = static_cast<std::size_t>(tokens[i].text.data() - code.data());
    const auto next = std::ranges::upper_bound(begins, offset, {}, &Begin::offset);
    use.declared_at = std::prev(next)->place;
  }
  return use;
}

}  // namespace gktune
