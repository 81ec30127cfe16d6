#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <set>

#include "tuner/space/reader/problem_reader.h"

namespace gktune {
namespace {

std::string kind_name(const Value& value) {
  constexpr std::string_view kNames[] = {"a boolean", "an integer", "a real number", "a text"};
  return std::string(kNames[static_cast<std::size_t>(value.kind())]);
}

std::vector<Value> read_list(const YamlNode& node, ErrorList& errors) {
  std::vector<Value> values;
  std::set<Value> seen;
  const auto nodes = items_of(node);
  if (nodes.empty()) errors.add(node, "empty list of values");
  if (nodes.size() > kMostValues) {
    errors.add(node, "more than " + std::to_string(kMostValues) + " values");
    return {};
  }
  std::vector<const YamlNode*> origins;
  for (const YamlNode& item : nodes) {
    if (auto value = read_value(item, errors)) {
      values.push_back(*std::move(value));
      origins.push_back(&item);
    }
  }
  // An integer among reals is a real: [0.5, 1, 2].
  if (std::ranges::all_of(values, &Value::is_number) && std::ranges::any_of(values, &Value::is_real)) {
    for (Value& value : values) value = Value(value.number());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind() != values[0].kind()) {
      errors.add(*origins[i],
                 "values of different kinds: '" + origins[i]->text + "' is " + kind_name(values[i]) +
                     ", the first value is " + kind_name(values[0]),
                 "quote a number that is a text");
      return {};
    }
    if (!seen.insert(values[i]).second) errors.add(*origins[i], "duplicate value '" + values[i].str() + "'");
  }
  return values;
}

bool check_bounds(const YamlNode& node, std::size_t least, std::size_t most, std::string_view form,
                  ErrorList& errors) {
  const bool is_good =
      node.kind == YamlNode::Kind::sequence && node.items.size() >= least && node.items.size() <= most;
  if (!is_good) errors.add(node, "expected " + std::string(form));
  return is_good;
}

// The number without the error of its last digits: ten steps of 0.1 make exactly 1. `largest` is that of the
// range.
double rounded(double number, double largest) {
  const int decimals = std::clamp(12 - static_cast<int>(std::floor(std::log10(largest))), 0, 300);
  std::array<char, 700> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, decimals).ptr;
  std::from_chars(text.data(), end, number);
  return number;
}

std::vector<Value> read_range(const YamlNode& node, ErrorList& errors) {
  if (!check_bounds(node, 2, 3, "[first, last] or [first, last, step]", errors)) return {};
  std::vector<Value> bounds;
  for (const YamlNode& item : node.items) {
    if (auto bound = read_number(item, errors)) bounds.push_back(*std::move(bound));
  }
  if (bounds.size() != node.items.size()) return {};
  if (bounds.size() == 2) bounds.emplace_back(1);
  // A long double holds every integer, and the difference of any two.
  const auto exact = [](const Value& bound) -> long double {
    return bound.is_integer() ? static_cast<long double>(bound.integer()) : bound.number();
  };
  const long double first = exact(bounds[0]), last = exact(bounds[1]), step = exact(bounds[2]);
  if (step == 0) {
    errors.add(node.items[2], "the step must not be 0");
    return {};
  }
  if ((last > first && step < 0) || (last < first && step > 0)) {
    const bool has_step = node.items.size() == 3;
    errors.add(has_step ? node.items[2] : node, "the range from " + node.items[0].text + " to " +
                                                    node.items[1].text + " needs a " +
                                                    (last > first ? "positive" : "negative") + " step");
    return {};
  }
  const bool is_integer = std::ranges::all_of(bounds, &Value::is_integer);
  constexpr long double kTolerance = 1e-9L;  // of a step
  const long double steps = std::floor((last - first) / step + (is_integer ? 0 : kTolerance));
  if (!(steps < kMostValues)) {
    errors.add(node, "the range has more than " + std::to_string(kMostValues) + " values",
               "use a larger step or {pow2: [first, last]}");
    return {};
  }
  const auto largest = static_cast<double>(std::max({std::abs(first), std::abs(last), std::abs(step)}));
  std::vector<Value> values;
  for (std::int64_t i = 0; i <= static_cast<std::int64_t>(steps); ++i) {
    const long double value = first + static_cast<long double>(i) * step;
    values.push_back(is_integer ? Value(static_cast<std::int64_t>(value))
                                : Value(rounded(static_cast<double>(value), largest)));
  }
  return values;
}

std::vector<Value> read_powers(const YamlNode& node, ErrorList& errors) {
  if (!check_bounds(node, 2, 2, "[first, last]", errors)) return {};
  std::vector<std::int64_t> bounds;
  for (const YamlNode& item : node.items) {
    const auto bound = read_integer(item, errors);
    if (!bound) return {};
    if (*bound < 1 || !std::has_single_bit(static_cast<std::uint64_t>(*bound))) {
      const auto below = std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(*bound, 1)));
      const std::string next =
          *bound < 1 ? "the smallest is 1"
                     : "the nearest are " + std::to_string(below) + " and " + std::to_string(below * 2);
      errors.add(item, "'" + item.text + "' is not a power of two", next);
      return {};
    }
    bounds.push_back(*bound);
  }
  if (bounds[0] > bounds[1]) errors.add(node, "the first bound is above the last");
  std::vector<Value> values;
  for (std::int64_t power = bounds[0]; power <= bounds[1]; power *= 2) {
    values.push_back(power);
    if (power > INT64_MAX / 2) break;
  }
  return values;
}

std::optional<Value> read_default(const YamlNode& node, const std::vector<Value>& values, ErrorList& errors) {
  auto value = read_value(node, errors);
  if (!value || values.empty()) return std::nullopt;
  if (value->is_integer() && values[0].is_real()) value = Value(value->number());
  if (std::ranges::find(values, *value) != values.end()) return value;
  std::vector<std::string> texts;
  for (const Value& one : values) texts.push_back(one.str());
  errors.add(node, "default '" + node.text + "' is not one of the values" +
                       (value->is_text() ? errors.guess(value->text(), texts) : std::string()));
  return std::nullopt;
}

std::optional<std::string> read_match(const YamlNode& node, const std::vector<Value>& values,
                                      ErrorList& errors) {
  static constexpr std::string_view kWays[] = {"nearest", "exact", "categorical"};
  if (!read_word(node, "match", kWays, errors)) return std::nullopt;
  if (node.text == "nearest" && !values.empty() && !values[0].is_number()) {
    errors.add(node, "match: nearest needs numbers: '" + values[0].str() + "' is none",
               "expected exact or categorical");
    return std::nullopt;
  }
  return node.text;
}

}  // namespace

Choices read_choices(const YamlNode& node, ChoicesOf owner, ErrorList& errors) {
  Choices choices;
  if (node.kind == YamlNode::Kind::null) {
    errors.add(node, "expected values, found nothing",
               "write a list, {range: [first, last, step]} or {pow2: [first, last]}");
    return choices;
  }
  if (node.kind != YamlNode::Kind::map) {
    choices.values = read_list(node, errors);
    return choices;
  }
  const bool is_parameter = owner == ChoicesOf::parameter;
  const Fields fields(node, is_parameter ? "parameter" : "axis",
                      is_parameter
                          ? std::vector<std::string_view>{"values", "range", "pow2", "default"}
                          : std::vector<std::string_view>{"values", "range", "pow2", "macro", "match"},
                      errors);
  int forms = 0;
  for (std::string_view form : {"values", "range", "pow2"}) {
    const YamlNode* bounds = fields.find(form);
    if (bounds == nullptr) continue;
    if (++forms > 1) {
      errors.add(fields.key(form), "more than one of values, range and pow2");
      continue;
    }
    choices.values = form == "range"  ? read_range(*bounds, errors)
                     : form == "pow2" ? read_powers(*bounds, errors)
                                      : read_list(*bounds, errors);
  }
  if (forms == 0 && !fields.has_unknown()) errors.add(node, "expected one of values, range and pow2");
  if (const YamlNode* chosen = is_parameter ? fields.find("default") : nullptr) {
    choices.default_value = read_default(*chosen, choices.values, errors);
  }
  if (const YamlNode* macro = is_parameter ? nullptr : fields.find("macro")) {
    choices.macro = read_text(*macro, errors);
  }
  if (const YamlNode* match = is_parameter ? nullptr : fields.find("match")) {
    choices.match = read_match(*match, choices.values, errors);
  }
  return choices;
}

}  // namespace gktune
