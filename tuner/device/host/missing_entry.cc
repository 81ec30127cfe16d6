#include "tuner/device/host/missing_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "tuner/device/host/kernel_source.h"
#include "tuner/space/spelling.h"

namespace gktune {
namespace {

bool belongs_to_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Word {
  std::string text;
  bool is_called;  // or declared: a bracket follows
};

std::vector<Word> words_in(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && belongs_to_word(text[end])) ++end;
    if (end > at) words.push_back({std::string(text.substr(at, end - at)), text.substr(end, 1) == "("});
    at = std::max(end, at + 1);
  }
  return words;
}

// reduce of ns::reduce<float, 4>.
std::string bare_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

std::string_view first_error(std::string_view log) {
  const std::size_t error = log.find("error:");
  if (error == std::string_view::npos) return {};
  const std::size_t begin = log.rfind('\n', error) + 1;  // npos + 1 is 0
  return log.substr(begin, error - begin);
}

}  // namespace

std::optional<std::string> missing_entry(const SourcePlan& source, std::string_view log) {
  const std::string_view place = first_error(log);
  for (const std::string& entry : source.entries) {
    if (!place.starts_with(fmt::format("entry {}:", entry))) continue;
    const std::string name = bare_name(entry);
    std::vector<std::string> functions;
    for (Word& word : words_in(source.text + '\n' + included_text(source))) {
      if (word.text == name) return std::nullopt;
      if (word.is_called) functions.push_back(std::move(word.text));
    }
    return fmt::format("{} has no function '{}'{}\n", source.path, name, did_you_mean(name, functions));
  }
  return std::nullopt;
}

}  // namespace gktune
