#include "engine/problem_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/core/spelling.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

// The names and values of "n=1Mi,4Mi,T=float", as typed.
using AxisSelection = std::vector<std::pair<std::string, std::vector<std::string>>>;

// The message of an error shows `example`.
Result<AxisSelection> parse_selection(std::string_view text, std::string_view example) {
  const Error none{fmt::format("'{}' selects no values; write it as {}", text, example)};
  if (text.empty()) return none;
  AxisSelection selection;
  for (const auto range : std::views::split(text, ',')) {
    const std::string_view part(range.begin(), range.end());
    std::size_t sign = part.find('=');
    std::string value(part.substr(sign == std::string_view::npos ? 0 : sign + 1));
    bool names_axis = sign != std::string_view::npos && sign > 0;
    if (value.empty() || (!names_axis && (selection.empty() || sign == 0))) return none;
    if (!names_axis) {
      selection.back().second.push_back(std::move(value));
      continue;
    }
    std::string name(part.substr(0, sign));
    if (std::ranges::find(selection, name, &AxisSelection::value_type::first) != selection.end()) {
      return Error{fmt::format("'{}' names {} twice; write it as {}=A,B", text, name, name)};
    }
    selection.push_back({std::move(name), {std::move(value)}});
  }
  return selection;
}

constexpr std::string_view kExample = "n=1Mi,T=float";

Result<Value> value_as(Value::Kind kind, const std::string& typed) {
  if (kind == Value::Kind::text) return Value(typed);
  if (kind == Value::Kind::integer) {
    auto integer = parse_integer(typed);
    return integer ? Result<Value>(*integer) : integer.error();
  }
  const Value value = parse_value(typed);
  if (kind == Value::Kind::boolean) {
    return value.is_boolean() ? Result<Value>(value) : Error{"'" + typed + "' is neither true nor false"};
  }
  return value.is_number() ? Result<Value>(value.number()) : Error{"'" + typed + "' is not a number"};
}

// ", did you mean 'n'?", or all names and values that are known.
std::string choice_of(std::string_view typed, const std::vector<std::string>& known) {
  std::string guess = did_you_mean(typed, known);
  return guess.empty() ? fmt::format("; there is {}", fmt::join(known, ", ")) : guess;
}

std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(value.str());
  return texts;
}

Error unknown_axis(const std::string& name, const std::vector<std::string>& names) {
  return Error{"unknown problem axis '" + name + "'" +
               (names.empty() ? ": this problem has no axes" : choice_of(name, names))};
}

// The selected values of one axis.
Result<std::vector<Value>> chosen_values(const Axis& axis, const std::vector<std::string>& typed) {
  std::vector<Value> values;
  for (const std::string& text : typed) {
    auto value = value_as(axis.values.empty() ? parse_value(text).kind() : axis.values.front().kind(), text);
    if (!value) return Error{"axis " + axis.name + ": " + value.error().message};
    bool is_listed = std::ranges::find(axis.values, *value) != axis.values.end();
    if (!is_listed && !value->is_integer()) {
      return Error{fmt::format("axis {} has no value '{}'{}", axis.name, text,
                               choice_of(text, texts_of(axis.values)))};
    }
    values.push_back(*std::move(value));
  }
  return values;
}

// The listed value that the user typed.
Result<Value> listed_value(const Parameter& parameter, const std::string& typed) {
  const Value meant = parse_value(typed);
  for (const Value& value : parameter.values) {
    const bool is_number = value.is_number() && meant.is_number() && value.number() == meant.number();
    if (value.str() == typed || is_number) return value;
  }
  return Error{fmt::format("parameter {} has no value '{}'{}", parameter.name, typed,
                           choice_of(typed, texts_of(parameter.values)))};
}

// Leaves the typed values.
Result<void> keep_values(Parameter& parameter, const std::vector<std::string>& typed) {
  std::vector<Value> values;
  for (const std::string& each : typed) {
    auto value = listed_value(parameter, each);
    if (!value) return value.error();
    if (std::ranges::find(values, *value) == values.end()) values.push_back(*std::move(value));
  }
  const auto& by_default = parameter.default_value;
  if (by_default && std::ranges::find(values, *by_default) == values.end()) parameter.default_value.reset();
  parameter.values = std::move(values);
  return {};
}

// The problems with these values. A value that no problem has is put into all of them.
std::vector<Problem> narrowed(const std::vector<Problem>& problems, const std::string& axis,
                              const std::vector<Value>& values) {
  std::vector<Problem> chosen;
  for (const Value& value : values) {
    std::vector<Problem> matching;
    std::ranges::copy_if(problems, std::back_inserter(matching),
                         [&](const Problem& problem) { return *problem.find(axis) == value; });
    if (matching.empty()) matching = with_values(problems, axis, {value});
    for (Problem& problem : matching) chosen.push_back(std::move(problem));
  }
  return chosen;
}

}  // namespace

Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections) {
  const std::vector<Problem> all = problems_of(kernel);
  if (selections.empty()) return all;
  std::vector<std::string> names;
  for (const Axis& axis : kernel.axes) names.push_back(axis.name);

  std::vector<Problem> problems;
  for (const std::string& text : selections) {
    auto selection = parse_selection(text, kExample);
    if (!selection) return selection.error();
    std::vector<Problem> selected = all;
    for (const auto& [name, typed] : *selection) {
      auto axis = std::ranges::find(kernel.axes, name, &Axis::name);
      if (axis == kernel.axes.end()) return unknown_axis(name, names);
      auto values = chosen_values(*axis, typed);
      if (!values) return values.error();
      selected = narrowed(selected, name, *values);
    }
    for (Problem& problem : selected) {
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
    }
  }
  return problems;
}

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
      if (auto selected = keep_values(*parameter, typed); !selected) return selected.error();
    }
  }
  return {};
}

Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known) {
  auto selection = parse_selection(text, kExample);
  if (!selection) return selection.error();
  Problem problem;
  for (const auto& [name, typed] : *selection) {
    if (typed.size() > 1) {
      return Error{fmt::format("'{}' asks for several problems; ask for one at a time", text)};
    }
    const Value* example = nullptr;
    std::vector<std::string> names;
    for (const Problem& each : known) {
      if (example == nullptr) example = each.find(name);
      for (const auto& [axis, value] : each) {
        if (std::ranges::find(names, axis) == names.end()) names.push_back(axis);
      }
    }
    if (example == nullptr) return unknown_axis(name, names);
    auto value = value_as(example->kind(), typed.front());
    if (!value) return Error{"axis " + name + ": " + value.error().message};
    problem.set(name, *std::move(value));
  }
  return problem;
}

std::string problem_text(const Problem& problem) {
  std::string text;
  for (const auto& [name, value] : problem) {
    if (!text.empty()) text += ',';
    text += name + '=' + format_value(value);
  }
  return text;
}

}  // namespace gktune
