#include "tuner/space/missing_function.h"

#include <algorithm>
#include <vector>

#include "tuner/core/letters.h"
#include "tuner/core/spelling.h"

namespace gktune {
namespace {

std::string bare_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

}  // namespace

std::optional<std::string> missing_function(const std::string& entry, const std::string& path,
                                            std::string_view text) {
  const std::string name = bare_name(entry);
  std::vector<std::string> functions;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word == name) return std::nullopt;
    if (!word.empty() && text.substr(end, 1) == "(") functions.emplace_back(word);
    at = std::max(end, at + 1);
  }
  return path + " has no function '" + name + "'" + did_you_mean(name, functions) + '\n';
}

}  // namespace gktune
