#include "engine/problem_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/core/quantity.h"
#include "tuner/core/spelling.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view kExample = "n=1Mi,T=float";

Result<Value> value_as(Value::Kind kind, const std::string& typed) {
  switch (kind) {
    case Value::Kind::integer: {
      auto value = parse_integer(typed);
      if (!value) return value.error();
      return Value(*value);
    }
    case Value::Kind::real: {
      Value value = parse_value(typed);
      if (!value.is_number()) return Error{"'" + typed + "' is not a number"};
      return Value(value.number());
    }
    case Value::Kind::boolean: {
      Value value = parse_value(typed);
      if (!value.is_boolean()) return Error{"'" + typed + "' is neither true nor false"};
      return value;
    }
    case Value::Kind::text:
      break;
  }
  return Value(typed);
}

Error unknown_axis(const std::string& name, const std::vector<std::string>& names) {
  if (names.empty()) return Error{"unknown problem axis '" + name + "': this problem has no axes"};
  std::string guess = did_you_mean(name, names);
  if (!guess.empty()) return Error{"unknown problem axis '" + name + "'" + guess};
  return Error{fmt::format("unknown problem axis '{}'; there is {}", name, fmt::join(names, ", "))};
}

// The selected values of one axis.
Result<std::vector<Value>> chosen_values(const Axis& axis, const std::vector<std::string>& typed) {
  std::vector<Value> values;
  for (const std::string& text : typed) {
    auto value = value_as(axis.values.empty() ? parse_value(text).kind() : axis.values.front().kind(), text);
    if (!value) return Error{"axis " + axis.name + ": " + value.error().message};
    bool is_listed = std::ranges::find(axis.values, *value) != axis.values.end();
    if (!is_listed && !value->is_integer()) {
      std::vector<std::string> listed;
      for (const Value& each : axis.values) listed.push_back(each.str());
      std::string guess = did_you_mean(text, listed);
      if (!guess.empty()) return Error{fmt::format("axis {} has no value '{}'{}", axis.name, text, guess)};
      return Error{
          fmt::format("axis {} has no value '{}'; there is {}", axis.name, text, fmt::join(listed, ", "))};
    }
    values.push_back(*std::move(value));
  }
  return values;
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

Result<AxisSelection> parse_selection(std::string_view text, std::string_view example) {
  AxisSelection selection;
  for (std::string_view part : split(text, ',')) {
    std::size_t sign = part.find('=');
    std::string value(part.substr(sign == std::string_view::npos ? 0 : sign + 1));
    bool names_axis = sign != std::string_view::npos && sign > 0;
    if (value.empty() || (!names_axis && (selection.empty() || sign == 0))) {
      return Error{fmt::format("'{}' selects no values; write it as {}", text, example)};
    }
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
