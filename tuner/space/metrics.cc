#include <algorithm>
#include <cmath>

#include "tuner/space/plan.h"

namespace gktune {
namespace {

// True if the metric uses a reading that this trial lacks, for example power on
// a card that does not report it.
bool lacks_reading(const Expression& expression, const NamedValues& known) {
  return std::ranges::any_of(expression.names(), [&](const Expression::NameUse& use) {
    return std::ranges::find(reading_names(), use.name) != reading_names().end() &&
           known.find(use.name) == nullptr;
  });
}

// The readings that this trial has.
NamedValues readings(const Trial& trial) {
  NamedValues known{{"time_s", trial.timing.median_us * 1e-6}, {"time_us", trial.timing.median_us}};
  const auto add = [&](std::string_view name, auto value) {
    if (value >= 0) known.set(name, value);
  };
  add("energy_j", trial.conditions.energy_j);
  add("power_w", trial.conditions.power_w);
  add("clock_mhz", trial.conditions.clock_mhz);
  add("registers", trial.resources.registers);
  add("occupancy", trial.resources.occupancy);
  add("spill_bytes", trial.resources.spill_bytes);
  return known;
}

}  // namespace

std::span<const std::string_view> reading_names() {
  static constexpr std::string_view kNames[] = {"time_s",    "time_us",   "energy_j",  "power_w",
                                                "clock_mhz", "registers", "occupancy", "spill_bytes"};
  return kNames;
}

Result<void> evaluate_metrics(const KernelDefinition& kernel, const DeviceInfo& device, Trial& trial) {
  const NamedValues known = readings(trial);
  const NamedValues attributes = device.attributes();
  Scope scope;
  scope.add(known).add(trial.config).add(trial.problem).add(attributes, "device.");
  trial.metrics = {};
  for (const Metric& metric : kernel.metrics) {
    const std::string where = "metric '" + metric.name + "': ";
    if (lacks_reading(metric.value, known)) continue;
    auto value = metric.value.evaluate(scope);
    if (!value) return Error{where + value.error().message + " in '" + metric.value.text() + "'"};
    if (!value->is_number() || !std::isfinite(value->number())) {
      return Error{where + "'" + metric.value.text() + "' is " + value->str() + ", not a finite number"};
    }
    trial.metrics.set(metric.name, *value);
  }
  if (kernel.objective.metric.empty()) {
    trial.objective = trial.timing.median_us;
    return {};
  }
  const Value* aim = trial.metrics.find(kernel.objective.metric);
  if (aim == nullptr) {
    return Error{"the objective '" + kernel.objective.metric +
                 "' needs a reading that this device does not give"};
  }
  trial.objective = kernel.objective.maximize ? -aim->number() : aim->number();
  return {};
}

}  // namespace gktune
