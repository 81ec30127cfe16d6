#include "engine/check_problems.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "engine/spaces.h"
#include "tuner/space/plan.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

constexpr std::array<std::int64_t, 6> kAwkward = {0, 1, 31, 33, 257, 1009};
// Several blocks and a part of one, for blocks that take a few thousand elements.
// The other sizes are small then.
constexpr std::int64_t kSeveralBlocks = 9001, kBesides = 5, kMostSeveralBlocks = 150'000;

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

// The axes whose values the awkward sizes replace.
std::vector<Axis> replaced_axes(const KernelDefinition& kernel) {
  const std::set<std::string> kept = axes_of_files(kernel.arguments);
  std::vector<Axis> sizes;
  std::ranges::copy_if(kernel.axes, std::back_inserter(sizes),
                       [&kept](const Axis& axis) { return is_size(axis) && !kept.contains(axis.name); });
  return sizes;
}

// About twice the size of the longest axis, if that is one of several blocks and may be larger.
std::optional<Problem> larger(const KernelDefinition& kernel, const Problem& problem) {
  const std::vector<Axis> sizes = replaced_axes(kernel);
  const auto longest = std::ranges::max_element(sizes, {}, greatest_size);
  if (longest == sizes.end()) return std::nullopt;
  const std::int64_t size = problem.find(longest->name)->integer();
  const std::int64_t larger_size = std::min(2 * size + 1, greatest_size(*longest));
  if (size < kSeveralBlocks || larger_size <= size || larger_size > kMostSeveralBlocks) return std::nullopt;
  Problem larger = problem;
  larger.set(longest->name, larger_size);
  return larger;
}

bool has_one_block(const StepPlan& step) { return step.grid == std::array<std::int64_t, 3>{1, 1, 1}; }

// The number of configurations, of all or of some, whose launches have one block each or cannot be formed.
int count_of_one_block(const Definition& definition, const Problem& problem, const DeviceInfo& device) {
  constexpr std::int64_t kMostConfigurations = 32;
  const auto space = space_of(definition, problem, device);
  if (!space) return std::numeric_limits<int>::max();
  const bool is_sampled = space->size() > Count(kMostConfigurations);
  std::mt19937_64 random;
  int count = 0;
  for (Count i = 0; i < (is_sampled ? Count(kMostConfigurations) : space->size()); ++i) {
    const auto plan =
        resolve(definition.kernel, space->at(is_sampled ? space->sample(random) : i), problem, device);
    if (!plan || std::ranges::all_of(plan->candidate.steps, has_one_block)) ++count;
  }
  return count;
}

}  // namespace

std::vector<Problem> problems_of_several_blocks(const Definition& definition,
                                                const std::vector<Problem>& problems,
                                                const DeviceInfo& device) {
  std::vector<Problem> chosen;
  for (const Problem& problem : problems) {
    std::optional<Problem> next = larger(definition.kernel, problem), best;
    int fewest = next ? count_of_one_block(definition, problem, device) : 0;
    for (; next && fewest > 0; next = larger(definition.kernel, *next)) {
      const int count = count_of_one_block(definition, *next, device);
      if (count < fewest) best = next, fewest = count;
    }
    if (best) chosen.push_back(*std::move(best));
  }
  return chosen;
}

std::vector<Problem> problems_to_sanitize(const Definition& definition, const DeviceInfo& device) {
  const std::vector<Problem> all = awkward_problems(definition.kernel);
  std::vector<Problem> solvable;
  std::ranges::copy_if(all, std::back_inserter(solvable),
                       [&](const Problem& problem) { return space_of(definition, problem, device).ok(); });
  if (solvable.empty()) return all;
  std::ranges::copy(problems_of_several_blocks(definition, solvable, device), std::back_inserter(solvable));
  return solvable;
}

std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes,
                                         const std::vector<Problem>& problems) {
  std::vector<Problem> chosen;
  std::set<std::string> seen;
  for (const Problem& problem : problems) {
    Problem macros;  // the compiler sees these axes only
    for (const Axis& axis : axes)
      if (!axis.macro.empty()) macros.set(axis.name, *problem.find(axis.name));
    if (seen.insert(macros.json()).second) chosen.push_back(problem);
  }
  return chosen;
}

bool is_empty(const Problem& problem) {
  return std::ranges::any_of(
      problem, [](const auto& axis) { return axis.second.is_integer() && axis.second.integer() == 0; });
}

std::vector<Problem> awkward_problems(const KernelDefinition& kernel) {
  const std::vector<Axis> sizes = replaced_axes(kernel);
  const auto longest = std::ranges::max_element(sizes, {}, greatest_size);
  std::vector<Problem> problems;
  // A kernel may rely on the greatest size that the file lists.
  const auto add = [&](Problem problem, const auto& size_of) {
    for (const Axis& axis : sizes) problem.set(axis.name, std::min(size_of(axis), greatest_size(axis)));
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
  };
  for (const Problem& listed : problems_of(kernel)) {
    // Sizes differ within a problem: square problems hide swapped dimensions.
    for (std::size_t choice = 0; choice < kAwkward.size(); ++choice) {
      std::size_t next = choice;
      add(listed, [&next](const Axis&) { return kAwkward[next++ % kAwkward.size()]; });
    }
    add(listed, [&](const Axis& axis) { return axis.name == longest->name ? kSeveralBlocks : kBesides; });
  }
  return problems;
}

}  // namespace gktune
