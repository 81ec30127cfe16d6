#include "tests/templates/covering_trials.h"

#include <algorithm>

#include "tuner/space/plan.h"

namespace gktune {

CoveringTrials::CoveringTrials(const Definition& definition, KernelDefinition kernel,
                               std::unique_ptr<WorkerDevice> device)
    : kernel_(std::move(kernel)),
      device_(std::move(device)),
      constraints_(with_device_limits(definition.constraints, kernel_, device_->info())),
      sample_(definition.parameters) {}

Result<std::vector<Trial>, SpaceError> CoveringTrials::run(const Problem& problem,
                                                           CoveringSample::Depth depth) {
  const NamedValues attributes = device_->info().attributes();
  Scope scope;
  scope.add(problem).add(attributes, "device.");
  auto configs = sample_.cover(constraints_, scope, depth);
  if (!configs) return configs.error();
  // A process has one environment, so configurations with the same one are tried one after the other.
  std::ranges::stable_sort(*configs, {}, [&](const Config& config) {
    auto plan = resolve(kernel_, config, problem, device_->info());
    return plan ? plan->environment : std::vector<std::pair<std::string, std::string>>();
  });
  std::vector<Trial> trials;
  std::size_t submitted = 0;
  while (trials.size() < configs->size()) {
    while (submitted < configs->size() && submitted - trials.size() < device_->capacity()) {
      device_->submit({(*configs)[submitted++], problem});
    }
    trials.push_back(device_->next());
  }
  return trials;
}

}  // namespace gktune
