#include "tuner/space/reader/problem_reader.h"

#include <algorithm>
#include <set>

#include "tuner/space/definition.h"

namespace gktune {
namespace {

std::vector<std::string> names_of(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

bool is_list(const YamlNode& node) { return node.kind == YamlNode::Kind::sequence; }

}  // namespace

void ProblemReader::name_axes(const YamlNode& node) {
  if (!is_list(node)) {
    if (!check_map(node, "problem", errors_)) return;
    for (const YamlNode& key : node.keys) names_.add_axis(key);
    return;
  }
  if (node.items.empty()) errors_.add(node, "empty list of problems");
  // The first problem names the axes.
  for (const YamlNode& item : node.items) {
    if (!check_map(item, "each problem of a list", errors_) || &item != &node.items.front()) continue;
    for (const YamlNode& key : item.keys) names_.add_axis(key);
  }
}

void ProblemReader::read(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed) {
  if (is_list(node)) return read_list(node, axes, listed);
  if (!is_map_of_names(node)) return;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    Axis axis;
    axis.name = node.keys[i].text;
    read_axis(node.keys[i], node.items[i], axis);
    axes.push_back(std::move(axis));
  }
  check_count(node, problem_count(axes));
}

void ProblemReader::read_list(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed) {
  listed.clear();
  std::set<std::string> seen;
  for (const YamlNode& item : node.items) {
    if (!is_map_of_names(item)) continue;
    const bool is_first = axes.empty();
    std::vector<Axis> own;
    for (std::size_t i = 0; i < item.keys.size(); ++i) {
      const YamlNode& key = item.keys[i];
      Axis axis;
      axis.name = key.text;
      read_axis(key, item.items[i], axis);
      const auto known = std::ranges::find(axes, key.text, &Axis::name);
      if (is_first) {
        own.push_back(axis);
      } else if (known == axes.end()) {
        errors_.add_unknown(key, "axis", names_of(axes), "all problems of a list have the axes of the first");
      } else {
        own.push_back(axis);
        join(item.items[i], axis, *known);
      }
    }
    if (is_first) axes = own;
    std::vector<Axis> ordered;  // in the order of the first problem
    for (const Axis& axis : axes) {
      const auto given = std::ranges::find(own, axis.name, &Axis::name);
      if (given != own.end()) {
        ordered.push_back(*given);
      } else {
        errors_.add(item, "missing axis '" + axis.name + "'",
                    "all problems of a list have the axes of the first");
      }
    }
    if (problem_count(ordered) > kMostProblems) return check_count(item, problem_count(ordered));
    for (Problem& problem : cross_product(ordered)) {
      if (seen.insert(problem.json()).second) listed.push_back(std::move(problem));
    }
    check_count(item, listed.size());
    if (listed.size() > kMostProblems) return;
  }
}

void ProblemReader::join(const YamlNode& node, const Axis& more, Axis& axis) {
  for (const Value& value : more.values) {
    if (!axis.values.empty() && value.kind() != axis.values.front().kind()) {
      errors_.add(node, "values of different kinds for '" + axis.name + "': '" + value.str() + "' here, '" +
                            axis.values.front().str() + "' in an earlier problem");
      return;
    }
    if (std::ranges::find(axis.values, value) == axis.values.end()) axis.values.push_back(value);
  }
  const auto check_same = [&](const std::string& key, std::string Axis::*member) {
    const YamlNode* own = node.find(key);
    if (own != nullptr && more.*member != axis.*member)
      errors_.add(*own, "the " + key + " of '" + axis.name + "' must be in the first problem of the list");
  };
  check_same("macro", &Axis::macro);
  check_same("match", &Axis::match);
}

void ProblemReader::replace(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed) {
  if (is_list(node)) {
    std::vector<Axis> own;
    read_list(node, own, listed);
    const auto names = names_of(axes);
    for (Axis& axis : own) {
      const auto known = std::ranges::find(axes, axis.name, &Axis::name);
      if (known != axes.end()) {
        known->values = std::move(axis.values);
        continue;
      }
      errors_.add(node, "unknown axis '" + axis.name + "'" + errors_.guess(axis.name, names));
    }
    for (const std::string& name : names) {
      if (!own.empty() && std::ranges::find(own, name, &Axis::name) == own.end()) {
        errors_.add(node, "missing axis '" + name + "'");
      }
    }
    return;
  }
  if (!check_map(node, "problem", errors_)) return;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& key = node.keys[i];
    const auto axis = std::ranges::find(axes, key.text, &Axis::name);
    if (axis == axes.end()) {
      errors_.add_unknown(key, "axis", names_of(axes));
      continue;
    }
    Axis replaced{axis->name, {}, axis->macro};
    read_axis(key, node.items[i], replaced);
    if (!replaced.values.empty() && !axis->values.empty() &&
        replaced.values.front().kind() != axis->values.front().kind()) {
      errors_.add(node.items[i], "values of different kinds for '" + axis->name + "': '" +
                                     replaced.values.front().str() + "' here, '" +
                                     axis->values.front().str() + "' in the problem of the file");
      continue;
    }
    *axis = std::move(replaced);
    if (!listed.empty()) listed = with_values(listed, axis->name, axis->values);
  }
  check_count(node, listed.empty() ? problem_count(axes) : listed.size());
}

void ProblemReader::read_axis(const YamlNode& key, const YamlNode& node, Axis& axis) {
  Choices choices = read_choices(node, ChoicesOf::axis, errors_);
  const bool is_text = !choices.values.empty() && choices.values[0].is_text();
  axis.values = std::move(choices.values);
  if (choices.macro) axis.macro = *choices.macro;
  if (choices.match) axis.match = *choices.match;
  if (axis.macro.empty() && is_text) axis.macro = axis.name;
  if (!choices.macro) return;
  const auto reason = why_no_name(*choices.macro);
  const YamlNode* macro = node.find("macro");
  if (reason) {
    errors_.add(*macro, "invalid macro name '" + *choices.macro + "': " + *reason);
  } else if (names_.is_parameter(*choices.macro) ||
             (names_.is_axis(*choices.macro) && *choices.macro != key.text)) {
    errors_.add(*macro, "duplicate name '" + *choices.macro + "': an axis or a parameter has it");
  }
}

void ProblemReader::check_count(const YamlNode& node, std::size_t count) {
  if (count <= kMostProblems) return;
  errors_.add(node, "more than " + std::to_string(kMostProblems) + " problems");
}

}  // namespace gktune
