#include "tuner/device/cuda/compile/unused_kernels.h"

#include <algorithm>
#include <string_view>

#include "tuner/source/edits.h"
#include "tuner/source/tokens.h"

namespace gktune {
namespace {

// reduce of gktune_variant_3::reduce<int, 4>.
std::string_view bare_name(std::string_view entry) {
  entry = entry.substr(0, entry.find('<'));
  const auto colon = entry.rfind("::");
  return colon == std::string_view::npos ? entry : entry.substr(colon + 2);
}

bool is_template(Tokens tokens, std::size_t at) {
  while (at > 0 && tokens[at - 1].kind == Token::Kind::word) --at;  // static, inline
  return at > 0 && tokens[at - 1] == ">";
}

// The attribute behind __global__, such as __launch_bounds__(256), and the kernel's name. No name: the
// declaration is unusual.
struct Declaration {
  std::string_view name;
  std::size_t attribute = 0, attribute_end = 0;  // its first and last token; 0: there is none
};

Declaration read_declaration(Tokens tokens, std::size_t at) {
  Declaration declaration;
  for (++at; at + 1 < tokens.size() && tokens[at].kind == Token::Kind::word;) {
    if (tokens[at + 1] != "(") {  // static, void
      ++at;
      continue;
    }
    const std::size_t end = closing_bracket(tokens, at + 1);
    if (end == tokens.size()) return {};
    if (!tokens[at].text.starts_with("__")) {
      const Tokens parameters = tokens.subspan(at + 1, end - at - 1);
      // Only a kernel's parameter can be one.
      const bool is_bound_to_grid = std::ranges::find(parameters, std::string_view("__grid_constant__"),
                                                      &Token::text) != parameters.end();
      if (!is_bound_to_grid) declaration.name = tokens[at].text;
      return declaration;
    }
    if (declaration.attribute_end != 0) return {};
    declaration.attribute = at;
    declaration.attribute_end = end;
    at = end + 1;
  }
  return {};
}

}  // namespace

std::string without_unused_kernels(const std::string& text, const std::vector<std::string>& entries) {
  if (text.find("<<<") != std::string::npos) return text;  // kernels that launch kernels
  const std::vector<Token> tokens = code_tokens(text);
  Edits edits(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "__global__" || is_template(tokens, i)) continue;
    const Declaration declaration = read_declaration(tokens, i);
    if (declaration.name.empty() ||
        std::ranges::find(entries, declaration.name, bare_name) != entries.end()) {
      continue;
    }
    edits.replace(tokens[i], tokens[i], "__device__");
    if (declaration.attribute_end != 0)
      edits.replace(tokens[declaration.attribute], tokens[declaration.attribute_end], "");
  }
  return edits.apply();
}

}  // namespace gktune
