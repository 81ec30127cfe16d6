#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/values.h"
#include "tuner/space/reader/error_list.h"

namespace gktune {

// A larger range is an error, because it is probably a mistake.
constexpr std::size_t kMostValues = 16'384;

// The values of a parameter or of a problem's axis.
struct Choices {
  std::vector<Value> values;  // of one kind, without duplicates; empty after an error
  std::optional<Value> default_value;
  std::optional<std::string> macro;
  std::optional<std::string> match;  // nearest, exact or categorical
};

enum class ChoicesOf { parameter, axis };

// Reads a value, a list, {values: …}, {range: [first, last, step]} or {pow2: [first, last]}. A parameter may
// have a default; an axis may have a macro and a way to match. An axis may also be {shape: x.npy, dimension:
// 0}, an extent of the array in that file. The file's path is relative to `folder`.
Choices read_choices(const YamlNode& node, ChoicesOf owner, const std::string& folder, ErrorList& errors);

}  // namespace gktune
