#include "engine/kernel_space.h"

#include "tuner/space/language/expression_text.h"
#include "tuner/space/plan.h"

namespace gktune {

KernelSpace kernel_space_of(const Definition& definition, const DeviceInfo& device) {
  KernelSpace space;
  for (const Axis& axis : definition.kernel.axes) {
    if (!axis.match.empty()) space.matching.set(axis.name, axis.match);
  }
  // Constraints do not count if the configurations are listed.
  const auto constraints = definition.listed.empty()
                               ? with_device_limits(definition.constraints, definition.kernel, device)
                               : device_limits(definition.kernel, device);
  for (const Constraint& constraint : constraints) {
    space.constraints.push_back(expanded_text(constraint.condition));
  }
  space.default_config = definition.kernel.default_values;
  return space;
}

}  // namespace gktune
