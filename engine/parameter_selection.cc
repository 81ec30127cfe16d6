#include "engine/parameter_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/problem_selection.h"
#include "tuner/core/quantity.h"
#include "tuner/core/spelling.h"

namespace gktune {
namespace {

std::string choice_of(std::string_view typed, const std::vector<std::string>& known) {
  std::string guess = did_you_mean(typed, known);
  return guess.empty() ? fmt::format("; there is {}", fmt::join(known, ", ")) : guess;
}

// The listed value that the user typed.
Result<Value> listed_value(const Parameter& parameter, const std::string& typed) {
  std::vector<std::string> known;
  for (const Value& value : parameter.values) {
    const bool is_meant = value.str() == typed || (value.is_number() && parse_value(typed).is_number() &&
                                                   value.number() == parse_value(typed).number());
    if (is_meant) return value;
    known.push_back(value.str());
  }
  return Error{
      fmt::format("parameter {} has no value '{}'{}", parameter.name, typed, choice_of(typed, known))};
}

}  // namespace

Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections) {
  for (const std::string& text : selections) {
    auto selection = parse_selection(text, "way=naive,tileM=64,128");
    if (!selection) return selection.error();
    for (const auto& [name, typed] : *selection) {
      auto parameter = std::ranges::find(parameters, name, &Parameter::name);
      if (parameter == parameters.end()) {
        std::vector<std::string> names;
        for (const Parameter& each : parameters) names.push_back(each.name);
        return Error{fmt::format("unknown parameter '{}'{}", name, choice_of(name, names))};
      }
      std::vector<Value> values;
      for (const std::string& each : typed) {
        auto value = listed_value(*parameter, each);
        if (!value) return value.error();
        if (std::ranges::find(values, *value) == values.end()) values.push_back(*std::move(value));
      }
      parameter->values = std::move(values);
      const auto& chosen = parameter->values;
      if (parameter->default_value && std::ranges::find(chosen, *parameter->default_value) == chosen.end()) {
        parameter->default_value.reset();
      }
    }
  }
  return {};
}

}  // namespace gktune
