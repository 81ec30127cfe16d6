// The inputs of the shipped kernels must reveal a wrong kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>

#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"
#include "tuner/space/solver/space.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr std::int64_t kElements = 1 << 16;

// The problems of a space, each kind at one size.
std::vector<Problem> small_problems(const KernelDefinition& kernel) {
  std::vector<Problem> problems;
  for (Problem problem : problems_of(kernel)) {
    problem.set("n", kElements);
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
  }
  return problems;
}

DeviceInfo device() {
  DeviceInfo info;
  info.kind = "cuda";
  info.multiprocessors = 4;
  return info;
}

Definition shipped(const std::string& name) {
  return *read_space_file(GKTUNE_SOURCE_DIR "/spaces/" + name, {.device_kind = "cuda"});
}

// The elements of the one input that has any.
std::vector<double> input_of(const Definition& definition, const Problem& problem) {
  const DeviceInfo info = device();
  const NamedValues attributes = info.attributes();
  Scope scope;
  scope.add(problem).add(attributes, "device.");
  const auto space = Space::build(definition.parameters, definition.constraints, scope);
  if (!space) return {};
  const auto plan = resolve(definition.kernel, space->at(0), problem, info);
  if (!plan) return {};
  for (const ArgumentPlan& argument : plan->arguments) {
    if (argument.is_scalar || argument.role != Argument::Role::in || argument.count == 0) continue;
    const std::size_t size = element_size(argument.type);
    std::vector<std::byte> bytes(argument.count * size);
    if (!fill_contents(argument.type, argument.contents, bytes)) return {};
    std::vector<double> elements;
    for (std::size_t i = 0; i < argument.count; ++i) {
      const std::byte* element = bytes.data() + i * size;
      elements.push_back(is_floating(argument.type) ? load_real(argument.type, element)
                                                    : static_cast<double>(static_cast<std::int64_t>(
                                                          load_bits(argument.type, element))));
    }
    return elements;
  }
  return {};
}

TEST(Inputs, have_both_signs_and_one_least_and_one_greatest_element_for_reduce) {
  const Definition definition = shipped("reduce.yaml");
  std::set<std::string> kinds;
  for (const Problem& problem : small_problems(definition.kernel)) {
    SCOPED_TRACE(problem.str());
    const auto in = input_of(definition, problem);
    ASSERT_EQ(in.size(), static_cast<std::size_t>(kElements));
    const auto [least, greatest] = std::ranges::minmax(in);
    EXPECT_LT(least, 0);
    EXPECT_GT(greatest, 0);
    EXPECT_EQ(std::ranges::count(in, least), 1);
    EXPECT_EQ(std::ranges::count(in, greatest), 1);
    kinds.insert(problem.find("element")->str() + ' ' + problem.find("operation")->str());
  }
  EXPECT_EQ(kinds.size(), 4u * 3u);
}

TEST(Inputs, are_dominated_by_a_few_bytes_for_a_skewed_histogram) {
  const Definition definition = shipped("histogram.yaml");
  const auto in = input_of(definition, {{"distribution", "skewed"}, {"n", kElements}});
  ASSERT_EQ(in.size(), static_cast<std::size_t>(kElements));
  std::vector<std::int64_t> counts(256);
  for (const double byte : in) ++counts.at(static_cast<std::size_t>(byte));
  std::ranges::sort(counts, std::greater());
  EXPECT_GT(counts[0] + counts[1] + counts[2], kElements * 3 / 4);
  EXPECT_GT(counts[0], 4 * counts[3]);
}

}  // namespace
}  // namespace gktune
