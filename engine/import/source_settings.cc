#include <algorithm>
#include <optional>

#include "engine/import/launching_code.h"

namespace gktune {
namespace {

void add(std::vector<SourceSetting>& settings, std::string_view name, std::int64_t value, bool is_global) {
  if (std::ranges::find(settings, name, &SourceSetting::name) == settings.end())
    settings.push_back({std::string(name), value, is_global});
}

// 16, (16), 1 << 20, 4 * 256
std::optional<std::int64_t> plain_integer(Tokens value, LaunchingCode& code) {
  const bool has_words = std::ranges::any_of(value, [](const Token& token) {
    return token.kind != Token::Kind::number && token.kind != Token::Kind::punctuation;
  });
  const auto term = value.empty() || has_words ? std::nullopt : code.translate(value, 0);
  return term && !term->is_real() ? term->constant() : std::nullopt;
}

// #define TILE 16, #define BLOCKS(n) ((n + TILE - 1) / TILE)
void add_macro(Tokens line, LaunchingCode& code, std::vector<SourceSetting>& settings) {
  const bool has_list =
      line.size() > 3 && line[3] == "(" && line[3].text.data() == line[2].text.data() + line[2].text.size();
  if (has_list) {
    const std::size_t close = closing_bracket(line, 3);
    if (close + 1 < line.size())
      code.define(std::string(line[2].text), split_list(line, 3), line.subspan(close + 1));
    return;
  }
  if (line.size() < 4) return;
  const Tokens value = line.subspan(3);
  code.define(std::string(line[2].text), value);
  if (const auto number = plain_integer(value, code)) add(settings, line[2].text, *number, true);
}

// enum { WARPS = 4, ITEMS = 8 };
void add_enumerators(Tokens tokens, std::size_t at, LaunchingCode& code,
                     std::vector<SourceSetting>& settings) {
  std::size_t open = at;
  while (open < tokens.size() && tokens[open] != "{" && tokens[open] != ";") ++open;
  if (open >= tokens.size() || tokens[open] != "{") return;
  for (const Tokens item : split_list(tokens, open)) {
    if (item.size() < 3 || item[1] != "=") continue;
    code.define(std::string(item[0].text), item.subspan(2));
    if (const auto value = plain_integer(item.subspan(2), code)) add(settings, item[0].text, *value, true);
  }
}

bool opens_namespace(Tokens tokens, std::size_t open) {
  for (std::size_t k = open;
       k-- > 0 && open - k < 8 && (tokens[k].is_word() || tokens[k] == ":" || tokens[k] == "\"C\"");) {
    if (tokens[k] == "namespace" || tokens[k] == "extern") return true;
  }
  return false;
}

// constexpr int TILE = 16, STEPS = 4; constexpr int WARPS{8};
void add_constants(Tokens tokens, LaunchingCode& code, std::vector<SourceSetting>& settings) {
  int depth = 0;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    if (tokens[i] == "{" && !opens_namespace(tokens, i)) ++depth;
    if (tokens[i] == "}") depth = std::max(0, depth - 1);
    const bool is_list = tokens[i + 1] == "{";
    if (!tokens[i].is_word() || (tokens[i + 1] != "=" && !is_list) ||
        (!tokens[i - 1].is_word() && tokens[i - 1] != ","))
      continue;
    bool is_constant = false;
    for (std::size_t k = i; k-- > 0 && i - k < 40 && !is_any_of(tokens[k].text, {";", "}", "{", "("});)
      is_constant = is_constant || tokens[k] == "const" || tokens[k] == "constexpr";
    std::size_t end = i + 2;
    while (end < tokens.size() && tokens[end] != ";" && tokens[end] != "," &&
           !(is_list && tokens[end] == "}"))
      ++end;
    const auto value = plain_integer(tokens.subspan(i + 2, end - i - 2), code);
    if (is_constant && value) add(settings, tokens[i].text, *value, depth == 0);
  }
}

}  // namespace

std::vector<SourceSetting> source_settings(Tokens tokens, const std::vector<std::vector<Token>>& defines,
                                           LaunchingCode& code) {
  std::vector<SourceSetting> settings;
  for (const std::vector<Token>& line : defines) add_macro(line, code, settings);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "enum") add_enumerators(tokens, i, code, settings);
  }
  add_constants(tokens, code, settings);
  return settings;
}

}  // namespace gktune
