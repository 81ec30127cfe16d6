#include "tuner/device/cuda/unused_kernels.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "tuner/core/letters.h"

namespace gktune {
namespace {

constexpr std::string_view kGlobal = "__global__", kDevice = "__device__";

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

// Past the closing parenthesis of the one at `open`.
std::optional<std::size_t> past_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

// reduce of gktune_variant_3::reduce<int, 4>.
std::string_view bare_name(std::string_view entry) {
  entry = entry.substr(0, entry.find('<'));
  const auto colon = entry.rfind("::");
  return colon == std::string_view::npos ? entry : entry.substr(colon + 2);
}

bool is_in_directive(std::string_view text, std::size_t at) {
  auto start = text.rfind('\n', at);
  while (start != std::string_view::npos && start > 0 && text[start - 1] == '\\')
    start = text.rfind('\n', start - 1);
  const std::size_t first = skip_blanks(text, start == std::string_view::npos ? 0 : start);
  return first < text.size() && text[first] == '#';
}

bool is_template(std::string_view text, std::size_t at) {
  while (at > 0 && (is_word(text[at - 1]) || is_blank(text[at - 1]))) --at;  // static, inline
  return at > 0 && text[at - 1] == '>';
}

// A kernel's declaration from its __global__ on.
struct Declaration {
  std::string_view name;
  std::size_t attributes_start = 0,
              attributes_end = 0;  // of __launch_bounds__(…) and its like; the same: none
};

std::optional<Declaration> read_declaration(std::string_view text, std::size_t at) {
  Declaration declaration;
  at = skip_blanks(text, at + kGlobal.size());
  while (at < text.size() && is_word(text[at])) {
    const std::string_view word = word_at(text, at);
    const std::size_t after = skip_blanks(text, at + word.size());
    if (after >= text.size() || text[after] != '(') {  // static, void
      at = after;
      continue;
    }
    const auto end = past_parentheses(text, after);
    if (!end) return std::nullopt;
    if (!word.starts_with("__")) {
      declaration.name = word;
      // What only a kernel's parameter may be.
      if (text.substr(after, *end - after).find("__grid_constant__") != std::string_view::npos)
        return std::nullopt;
      return declaration;
    }
    if (declaration.attributes_end != 0) return std::nullopt;  // two of them: left alone
    declaration.attributes_start = at;
    declaration.attributes_end = *end;
    at = skip_blanks(text, *end);
  }
  return std::nullopt;
}

}  // namespace

std::string without_unused_kernels(std::string text, const std::vector<std::string>& entries) {
  if (text.find("<<<") != std::string::npos) return text;  // kernels that launch kernels
  for (auto at = text.find(kGlobal); at != std::string::npos; at = text.find(kGlobal, at + 1)) {
    if (is_in_directive(text, at) || is_template(text, at)) continue;
    const auto declaration = read_declaration(text, at);
    if (!declaration || std::ranges::find(entries, declaration->name, bare_name) != entries.end()) continue;
    for (auto i = declaration->attributes_start; i < declaration->attributes_end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    text.replace(at, kGlobal.size(), kDevice);
  }
  return text;
}

}  // namespace gktune
