#include "cli/check_problems.h"

#include <algorithm>
#include <array>

#include "tuner/space/problems.h"

namespace gktune {
namespace {

constexpr std::array<std::int64_t, 6> kAwkward = {0, 1, 31, 33, 257, 1009};

// What the compiler sees of a problem.
Problem macros_of(const std::vector<Axis>& axes, const Problem& problem) {
  Problem macros;
  for (const Axis& axis : axes) {
    if (!axis.macro.empty()) macros.set(axis.name, *problem.find(axis.name));
  }
  return macros;
}

bool is_size(const Axis& axis) { return !axis.values.empty() && axis.values.front().is_integer(); }

// Several sizes differ within one problem: a square hides what a sliver shows.
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

std::vector<Problem> awkward_problems(const std::vector<Axis>& axes) {
  std::vector<Axis> others;
  std::ranges::copy_if(axes, std::back_inserter(others), [](const Axis& axis) { return !is_size(axis); });
  const std::vector<Problem> bases = cross_product(others);

  std::vector<Problem> problems;
  for (const Problem& base : bases) {
    for (std::size_t choice = 0; choice < kAwkward.size(); ++choice) {
      Problem problem;
      std::size_t shift = 0;
      for (const Axis& axis : axes) {
        problem.set(axis.name,
                    is_size(axis) ? Value(awkward_size(axis, choice + shift++)) : *base.find(axis.name));
      }
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace gktune
