#include "tuner/repro/stored_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tuner/core/letters.h"

namespace gktune {
namespace {

// "float", "unsigned char", "std::int64_t", "-O3": words that contain no calls.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_word(c) || c == ' ' || c == ':' || c == '.' || c == '-' || c == '+'; });
}

bool is_safe(const Value& value, const std::vector<Value>& listed) {
  return !value.is_text() || is_plain(value.text()) || std::ranges::find(listed, value) != listed.end();
}

}  // namespace

std::optional<std::string> unsafe_value(const Definition& definition, const Config& config,
                                        const Problem& problem) {
  const auto in_words = [](const std::string& name, const Value& value) {
    return fmt::format("{}='{}'", name, comment_text(value.text()));
  };
  for (const auto& [name, value] : config) {
    const auto parameter = std::ranges::find(definition.parameters, name, &Parameter::name);
    const bool is_known = parameter != definition.parameters.end();
    if (!is_safe(value, is_known ? parameter->values : std::vector<Value>())) return in_words(name, value);
  }
  for (const auto& [name, value] : problem) {
    const auto axis = std::ranges::find(definition.kernel.axes, name, &Axis::name);
    const bool is_known = axis != definition.kernel.axes.end();
    if (!is_safe(value, is_known ? axis->values : std::vector<Value>())) return in_words(name, value);
  }
  return std::nullopt;
}

std::string comment_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  // A backslash at the end of a line, blanks behind it or not, would join the next line to the comment.
  const std::size_t last = result.find_last_not_of(' ');
  if (last != std::string::npos && (result[last] == '\\' || result.substr(0, last + 1).ends_with("?\?/")))
    result.replace(last, std::string::npos, "\\x5c.");
  return result;
}

}  // namespace gktune
