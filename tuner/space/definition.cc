#include "tuner/space/definition.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace gktune {

EnumNames enum_names(Language) {
  static constexpr std::string_view kNames[] = {"cuda", "c++", "host", "command"};
  return kNames;
}

std::optional<Language> language_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".cu" || extension == ".cuh") return Language::cuda;
  if (extension == ".cc" || extension == ".cpp" || extension == ".cxx") return Language::cpp;
  return std::nullopt;
}

void pad_arguments(KernelDefinition& kernel, std::size_t count) {
  while (kernel.arguments.size() < count) {
    Argument& pad = kernel.arguments.emplace_back();
    pad.name = " ";  // no launch can name it
    pad.type.text = "uint8";
    pad.type.parts.push_back({"uint8", std::nullopt});
    pad.extent = Expression::parse("1").value();
    pad.role = Argument::Role::scratch;
  }
  if (!kernel.judge || kernel.judge->arguments.size() >= count) return;
  KernelDefinition judge = *kernel.judge;
  pad_arguments(judge, count);
  kernel.judge = std::make_shared<const KernelDefinition>(std::move(judge));
}

std::size_t problem_count(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.values.size();
    if (count > kMostProblems) return kMostProblems + 1;
  }
  return count;
}

std::vector<Problem> cross_product(const std::vector<Axis>& axes) {
  std::vector<Problem> problems(1);
  for (const Axis& axis : axes) {
    std::vector<Problem> longer;
    for (const Problem& problem : problems) {
      for (const Value& value : axis.values) {
        longer.push_back(problem);
        longer.back().set(axis.name, value);
      }
    }
    problems = std::move(longer);
  }
  return problems;
}

std::vector<Problem> problems_of(const KernelDefinition& kernel) {
  return kernel.listed_problems.empty() ? cross_product(kernel.axes) : kernel.listed_problems;
}

std::vector<Problem> with_values(const std::vector<Problem>& problems, const std::string& axis,
                                 const std::vector<Value>& values) {
  std::vector<Problem> changed;
  std::set<std::string> seen;
  for (const Problem& problem : problems) {
    for (const Value& value : values) {
      Problem other = problem;
      other.set(axis, value);
      if (seen.insert(other.json()).second) changed.push_back(std::move(other));
    }
  }
  return changed;
}

namespace {

bool passes(const std::vector<PassedArgument>& passed, const std::string& argument) {
  return std::ranges::any_of(passed, [&](const PassedArgument& each) {
    return each.name == argument || passes(each.members, argument) ||
           (each.tensor_map && each.tensor_map->buffer == argument) ||
           (each.texture && each.texture->buffer == argument);
  });
}

}  // namespace

bool takes(const std::vector<Launch>& launches, const std::string& argument) {
  return std::ranges::any_of(launches, [&](const Launch& launch) {
    return launch.fill == argument || std::ranges::find(launch.swap, argument) != launch.swap.end() ||
           passes(launch.arguments, argument) || takes(launch.body, argument);
  });
}

}  // namespace gktune
