#include "awkward_problems.h"

#include <algorithm>

#include "tuner/space/definition.h"

namespace gktune {
namespace {

// Sizes of a problem with one size, up to more than the largest block of any template takes at once. 48 and
// 192 fill whole cache lines, so that reading past the ends of their buffers is a fault.
constexpr std::int64_t kLengths[] = {0, 1, 2, 3, 31, 33, 48, 127, 192, 257, 1009, 4099, 32767, 32769, 131073};
// Sizes of a problem with several sizes. Their number is a prime, so that its
// square of problems has every pair.
constexpr std::int64_t kExtents[] = {0, 1, 31, 48, 257};
constexpr std::size_t kPrime = std::size(kExtents);

bool is_size(const Axis& axis) { return axis.values.front().is_integer(); }

std::vector<Problem> sizes(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    if (is_size(axis)) names.push_back(axis.name);
  }
  std::vector<Problem> problems;
  if (names.empty()) return {Problem()};
  if (names.size() == 1) {
    for (const std::int64_t length : kLengths) problems.push_back({{names.front(), length}});
    return problems;
  }
  for (std::size_t first = 0; first < kPrime; ++first) {
    for (std::size_t step = 0; step < kPrime; ++step) {
      Problem problem;
      for (std::size_t i = 0; i < names.size(); ++i)
        problem.set(names[i], kExtents[(first + i * step) % kPrime]);
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

// The distinct listed problems, ignoring sizes: one per element type, distribution and so on.
std::vector<Problem> kinds(const KernelDefinition& kernel) {
  std::vector<Problem> all;
  for (const Problem& problem : problems_of(kernel)) {
    Problem kind;
    for (const Axis& axis : kernel.axes) {
      if (!is_size(axis)) kind.set(axis.name, *problem.find(axis.name));
    }
    if (std::ranges::find(all, kind) == all.end()) all.push_back(std::move(kind));
  }
  return all;
}

}  // namespace

std::vector<Problem> awkward_problems(const KernelDefinition& kernel) {
  const std::vector<Problem> all_kinds = kinds(kernel), all_sizes = sizes(kernel.axes);
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < all_kinds.size(); ++k) {
    // The first kind has all sizes, three of the others have them between them.
    const std::size_t step = k == 0 ? 1 : 3;
    for (std::size_t s = k % step; s < all_sizes.size(); s += step) {
      Problem problem = all_sizes[s];
      for (const auto& [name, value] : all_kinds[k]) problem.set(name, value);
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace gktune
