#include "tuner/space/missing_function.h"

#include <vector>

#include "tuner/core/spelling.h"
#include "tuner/source/tokens.h"

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
  const std::vector<Token> tokens = tokenize(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::word) continue;
    if (tokens[i] == name) return std::nullopt;
    if (i + 1 < tokens.size() && tokens[i + 1] == "(") functions.emplace_back(tokens[i].text);
  }
  return path + " has no function '" + name + "'" + did_you_mean(name, functions) + '\n';
}

}  // namespace gktune
