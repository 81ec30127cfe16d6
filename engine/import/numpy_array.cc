#include "engine/import/numpy_array.h"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <vector>

#include "engine/import/python_text.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

std::string type_in(const std::string& text, const std::string& standard) {
  static const std::regex kType(R"((?:np\.|numpy\.|["'])(u?int(?:8|16|32|64)|float(?:16|32|64))\b(?!\())");
  std::smatch found;
  return std::regex_search(text, found, kType) ? found[1].str() : standard;
}

std::string constant_of(const PythonScript& script, const std::vector<std::string>& items) {
  const auto value = items.size() > 1 ? script.value_of(items[1]) : std::nullopt;
  return "{constant: " + (value ? value->str() : "1") + "}";
}

std::optional<NumpyArray> array_of(const PythonScript& script, const std::string& text, int depth) {
  static const std::regex kCall(
      R"(\b\w+\.(?:random\.)?(randn|rand|random|random_sample|randint|integers|normal|standard_normal|uniform|zeros_like|empty_like|ones_like|full_like|zeros|ones|empty|full|arange)\()");
  std::smatch found;
  if (depth > 4 || !std::regex_search(text, found, kCall)) return std::nullopt;
  const std::string function = found[1].str();
  std::size_t end = static_cast<std::size_t>(found.position()) + found.str().size();
  const std::size_t begin = end;
  for (int open = 1; end < text.size() && open > 0; ++end) {
    if (text[end] == '(') ++open;
    if (text[end] == ')') --open;
  }
  const std::vector<std::string> items = split_python(text.substr(begin, end - 1 - begin), ',');
  if (items[0].empty()) return std::nullopt;
  if (function.ends_with("_like")) {
    auto other = array_of(script, script.resolved(items[0]), depth + 1);
    if (!other) return std::nullopt;
    other->type = type_in(text, other->type);
    other->is_output = function == "zeros_like" || function == "empty_like";
    other->contents = function == "ones_like"   ? "{constant: 1}"
                      : function == "full_like" ? constant_of(script, items)
                                                : "zero";
    return other;
  }
  std::map<std::string, std::string> named;
  std::vector<std::string> places;
  for (const std::string& item : items) {
    const std::vector<std::string> parts = split_python(item, '=');
    if (parts.size() == 2) {
      named[parts[0]] = parts[1];
    } else {
      places.push_back(item);
    }
  }
  // The place of the shape among the arguments without a name.
  const bool is_integer = function == "randint" || function == "integers";
  const bool has_bounds = is_integer || function == "normal" || function == "uniform";
  const std::size_t shape_place = has_bounds ? 2 : 0;
  std::string shape = shape_place < places.size() ? places[shape_place] : "";
  for (const char* name : {"size", "shape"}) {
    if (named.contains(name)) shape = named[name];
  }
  if (function == "rand" || function == "randn") {
    shape = places.size() == 1 ? places[0] : "(" + joined(places) + ")";
    if (shape.starts_with("*")) shape.erase(0, 1);
  }
  NumpyArray array;
  array.type = type_in(text, is_integer || function == "arange" ? "int64" : "float64");
  array.contents = "{uniform: [0, 1]}";
  if (function == "randn" || function == "standard_normal") array.contents = "{normal: [0, 1]}";
  if (function == "ones") array.contents = "{constant: 1}";
  if (function == "arange") array.contents = "{ramp: [0, 1]}";
  if (function == "full") array.contents = constant_of(script, items);
  if (has_bounds) {
    const auto low = places.size() > 1 ? script.value_of(places[0]) : std::nullopt,
               high = places.size() > 1 ? script.value_of(places[1]) : std::nullopt;
    const bool are_numbers = low && high && low->is_number() && high->is_number();
    if (function == "normal") {
      array.contents =
          are_numbers ? fmt::format("{{normal: [{}, {}]}}", low->str(), high->str()) : "{normal: [0, 1]}";
    } else if (!are_numbers) {
      // randint(256, size=n)
      const auto only = is_integer && places.size() == 1 ? script.value_of(places[0]) : std::nullopt;
      array.contents = only && only->is_integer() ? fmt::format("{{uniform: [0, {}]}}", only->integer() - 1)
                       : is_integer               ? "{uniform: [0, 100]}"
                                                  : "{uniform: [0, 1]}";
    } else {
      array.contents = is_integer && low->is_integer() && high->is_integer()
                           ? fmt::format("{{uniform: [{}, {}]}}", low->integer(), high->integer() - 1)
                           : fmt::format("{{uniform: [{}, {}]}}", low->str(), high->str());
    }
  }
  if (function == "zeros" || function == "empty") {
    array.is_output = true;
    array.contents = "zero";
  }
  array.shape = shape;
  return array;
}

}  // namespace

std::optional<NumpyArray> numpy_array(const PythonScript& script, const std::string& text) {
  return array_of(script, text, 0);
}

}  // namespace gktune
