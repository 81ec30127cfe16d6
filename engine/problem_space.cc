#include "engine/problem_space.h"

#include <fmt/format.h>

#include <utility>

#include "cli/quantity.h"
#include "tuner/space/plan.h"

namespace gktune {

ProblemSpace::ProblemSpace(const Definition& definition, const Problem& problem, const DeviceInfo& device)
    : definition_(definition),
      problem_(problem),
      attributes_(device.attributes()),
      constraints_(with_device_limits(definition.constraints, definition.kernel, device)) {}

Result<Space, EngineError> ProblemSpace::build() const {
  auto space = Space::build(definition_.parameters, constraints_, scope());
  if (!space) return failure(space.error());
  return *std::move(space);
}

Result<Census, EngineError> ProblemSpace::census() const {
  auto census = take_census(definition_.parameters, constraints_, scope());
  if (!census) return failure(census.error());
  return *std::move(census);
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
    if (auto census = take_census(definition_.parameters, constraints_, scope())) {
      message += ": " + census_text(*census);
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

std::string census_text(const Census& census) {
  auto number = [](const Count& count) { return format_count(count.str()); };
  std::string text =
      fmt::format("{} of {} combinations are valid", number(census.valid), number(census.combinations));
  if (census.rejected_by_file != 0) {
    text += fmt::format("; the file's constraints rule out {}", number(census.rejected_by_file));
  }
  if (census.rejected_by_block_limit != 0) {
    text += fmt::format("; the device's limit on a block's size rules out {}",
                        number(census.rejected_by_block_limit));
  }
  if (census.rejected_by_shared_memory_limit != 0) {
    text += fmt::format("; the device's limit on a block's shared memory rules out {}",
                        number(census.rejected_by_shared_memory_limit));
  }
  return text;
}

}  // namespace gktune
