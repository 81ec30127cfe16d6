#include "engine/problem_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/core/quantity.h"
#include "tuner/space/plan.h"

namespace gktune {

ProblemSpace::ProblemSpace(const Definition& definition, const Problem& problem, const DeviceInfo& device)
    : definition_(definition),
      problem_(problem),
      attributes_(device.attributes()),
      constraints_(with_device_limits(definition.constraints, definition.kernel, device)) {}

Result<Space, EngineError> ProblemSpace::build() const {
  if (!definition_.listed.empty()) return build_listed();
  auto space = Space::build(definition_.parameters, constraints_, scope());
  if (!space) return failure(space.error());
  return *std::move(space);
}

// The listed configurations whose values are all among those of the parameters.
Result<Space, EngineError> ProblemSpace::build_listed() const {
  std::vector<Space::Ranks> valid;
  for (const Config& config : definition_.listed) {
    Space::Ranks ranks;
    for (const Parameter& parameter : definition_.parameters) {
      const auto value = std::ranges::find(parameter.values, *config.find(parameter.name));
      if (value == parameter.values.end()) break;
      ranks.push_back(static_cast<std::uint32_t>(value - parameter.values.begin()));
    }
    if (ranks.size() == definition_.parameters.size()) valid.push_back(std::move(ranks));
  }
  if (valid.empty()) {
    return EngineError{EngineError::Kind::no_configuration,
                       definition_.path + ": no recorded configuration has these values",
                       {}};
  }
  return Space::of(definition_.parameters, std::move(valid));
}

Result<SpaceCounts, EngineError> ProblemSpace::counts() const {
  auto counts = count_combinations(definition_.parameters, constraints_, scope());
  if (!counts) return failure(counts.error());
  return *std::move(counts);
}

Scope ProblemSpace::scope() const {
  Scope scope;
  scope.add(problem_).add(attributes_, "device.");
  return scope;
}

EngineError ProblemSpace::failure(const SpaceError& error) const {
  std::string message = definition_.path + ": ";
  if (error.kind == SpaceError::Kind::empty) {
    message += "no configuration is valid";
    if (auto counts = count_combinations(definition_.parameters, constraints_, scope())) {
      message += ": " + counts_text(*counts);
    }
    return {EngineError::Kind::no_configuration, std::move(message), {}};
  }
  message += error.message;
  if (error.constraint) {
    message +=
        fmt::format("\n  {}\n  {}{}", constraints_[*error.constraint].condition.text(),
                    std::string(error.offset, ' '), std::string(std::max<std::size_t>(error.length, 1), '^'));
  }
  return {EngineError::Kind::invalid, std::move(message), {}};
}

std::string counts_text(const SpaceCounts& counts) {
  auto number = [](const Count& count) { return format_count(count.str()); };
  std::string text =
      fmt::format("{} of {} combinations are valid", number(counts.valid), number(counts.combinations));
  if (counts.rejected_by_file != 0) {
    text += fmt::format("; the file's constraints rule out {}", number(counts.rejected_by_file));
  }
  if (counts.rejected_by_block_limit != 0) {
    text += fmt::format("; the device's limit on a block's size rules out {}",
                        number(counts.rejected_by_block_limit));
  }
  if (counts.rejected_by_shared_memory_limit != 0) {
    text += fmt::format("; the device's limit on a block's shared memory rules out {}",
                        number(counts.rejected_by_shared_memory_limit));
  }
  return text;
}

}  // namespace gktune
