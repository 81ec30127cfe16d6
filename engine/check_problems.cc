#include "engine/check_problems.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "tuner/space/problems.h"

namespace gktune {
namespace {

constexpr std::array<std::int64_t, 6> kAwkward = {0, 1, 31, 33, 257, 1009};

// The axes that the compiler sees.
Problem macros_of(const std::vector<Axis>& axes, const Problem& problem) {
  Problem macros;
  for (const Axis& axis : axes) {
    if (!axis.macro.empty()) macros.set(axis.name, *problem.find(axis.name));
  }
  return macros;
}

bool is_size(const Axis& axis) { return !axis.values.empty() && axis.values.front().is_integer(); }

// Axes that decide which file an input is read from or how long it is: there are files only for the sizes of
// the space file.
std::set<std::string> axes_of_files(const std::vector<Argument>& arguments) {
  std::set<std::string> names;
  const auto add = [&names](const std::optional<Expression>& expression) {
    if (!expression) return;
    for (const Expression::NameUse& use : expression->names()) names.insert(use.name);
  };
  for (const Argument& argument : arguments) {
    if (argument.contents.kind != Contents::Kind::file) continue;
    add(argument.extent);
    for (const Pattern::Part& part : argument.contents.file.parts) add(part.expression);
  }
  return names;
}

// Sizes differ within a problem: square problems hide swapped dimensions.
std::int64_t awkward_size(const Axis& axis, std::size_t choice) {
  std::int64_t least = axis.values.front().integer();
  for (const Value& value : axis.values) least = std::min(least, value.integer());
  std::int64_t size = kAwkward[choice % kAwkward.size()];
  return std::min(size, least);
}

}  // namespace

std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes,
                                         const std::vector<Problem>& problems) {
  std::vector<Problem> chosen, seen;
  for (const Problem& problem : problems) {
    Problem macros = macros_of(axes, problem);
    if (std::ranges::find(seen, macros) != seen.end()) continue;
    seen.push_back(std::move(macros));
    chosen.push_back(problem);
  }
  return chosen;
}

bool is_empty(const Problem& problem) {
  return std::ranges::any_of(
      problem, [](const auto& axis) { return axis.second.is_integer() && axis.second.integer() == 0; });
}

std::vector<Problem> awkward_problems(const KernelDefinition& kernel) {
  const std::set<std::string> kept = axes_of_files(kernel.arguments);
  const auto is_replaced = [&kept](const Axis& axis) { return is_size(axis) && !kept.contains(axis.name); };
  std::vector<Axis> others;
  std::ranges::copy_if(kernel.axes, std::back_inserter(others), std::not_fn(is_replaced));
  const std::vector<Problem> bases = cross_product(others);

  std::vector<Problem> problems;
  for (const Problem& base : bases) {
    for (std::size_t choice = 0; choice < kAwkward.size(); ++choice) {
      Problem problem;
      std::size_t shift = 0;
      for (const Axis& axis : kernel.axes) {
        problem.set(axis.name,
                    is_replaced(axis) ? Value(awkward_size(axis, choice + shift++)) : *base.find(axis.name));
      }
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace gktune
