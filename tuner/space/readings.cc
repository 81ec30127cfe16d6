#include "tuner/space/readings.h"

namespace gktune {

std::span<const std::string_view> reading_names() {
  static constexpr std::string_view kNames[] = {"time_s",    "time_us",   "energy_j",  "power_w",
                                                "clock_mhz", "registers", "occupancy", "spill_bytes"};
  return kNames;
}

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

}  // namespace gktune
