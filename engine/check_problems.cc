#include "engine/check_problems.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "tuner/space/problems.h"

namespace gktune {
namespace {

constexpr std::array<std::int64_t, 6> kAwkward = {0, 1, 31, 33, 257, 1009};
// Several blocks and a part of one, for blocks that take a few thousand elements. The other sizes are small
// then.
constexpr std::int64_t kSeveralBlocks = 9001, kBesides = 5;

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

std::int64_t greatest_size(const Axis& axis) {
  std::int64_t greatest = axis.values.front().integer();
  for (const Value& value : axis.values) greatest = std::max(greatest, value.integer());
  return greatest;
}

// Sizes differ within a problem: square problems hide swapped dimensions. A kernel may rely on the greatest
// size that the file lists.
std::int64_t awkward_size(const Axis& axis, std::size_t choice) {
  return std::min(kAwkward[choice % kAwkward.size()], greatest_size(axis));
}

// The values that the listed problems have for these axes.
std::vector<Problem> parts_of(const std::vector<Problem>& problems, const std::vector<Axis>& axes) {
  std::vector<Problem> parts;
  std::set<std::string> seen;
  for (const Problem& problem : problems) {
    Problem part;
    for (const Axis& axis : axes) part.set(axis.name, *problem.find(axis.name));
    if (seen.insert(part.json()).second) parts.push_back(std::move(part));
  }
  return parts;
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
  std::vector<Axis> others, sizes;
  std::ranges::copy_if(kernel.axes, std::back_inserter(others), std::not_fn(is_replaced));
  std::ranges::copy_if(kernel.axes, std::back_inserter(sizes), is_replaced);
  const auto longest = std::ranges::max_element(sizes, {}, greatest_size);

  std::vector<Problem> problems;
  const auto add = [&](const Problem& base, const auto& size_of) {
    Problem problem;
    for (const Axis& axis : kernel.axes)
      problem.set(axis.name, is_replaced(axis) ? Value(size_of(axis)) : *base.find(axis.name));
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
  };
  for (const Problem& base : parts_of(problems_of(kernel), others)) {
    for (std::size_t choice = 0; choice < kAwkward.size(); ++choice) {
      std::size_t shift = 0;
      add(base, [&](const Axis& axis) { return awkward_size(axis, choice + shift++); });
    }
    if (sizes.empty()) continue;
    add(base, [&](const Axis& axis) {
      return std::min(greatest_size(axis), axis.name == longest->name ? kSeveralBlocks : kBesides);
    });
  }
  return problems;
}

}  // namespace gktune
