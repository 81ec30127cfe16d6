#include "cli/output/json.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ostream>

#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

// A figure that is negative where it is not known.
template <class Number>
Json known(Number value) {
  return value < 0 ? Json() : Json(value);
}

// A grid or a block; zeros where it is not known.
Json shape(const std::array<std::int64_t, 3>& extent) { return extent[0] == 0 ? Json() : Json(extent); }

}  // namespace

Json json_of_count(const std::string& digits) {
  std::uint64_t count = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, count);
  if (error == std::errc() && stop == end) return count;
  return std::strtod(digits.c_str(), nullptr);
}

Json json_of(const Value& value) { return value_json<Json>(value); }
Json json_of(const NamedValues& values) { return values_json<Json>(values); }

Json json_of(const DeviceInfo& device) {
  Json object = written<Json>(device);
  for (Json& figure : object) {
    if (figure.is_number() && figure == 0) figure = nullptr;
  }
  return object;
}

Json json_of(const DeviceIdentity& device) {
  return {{"kind", device.kind},
          {"name", device.name},
          {"architecture", device.architecture},
          {"multiprocessors", device.multiprocessors}};
}

Json json_of(const Resources& resources) {
  return {{"registers", known(resources.registers)},
          {"spill_bytes", known(resources.spill_bytes)},
          {"static_shared_bytes", known(resources.static_shared_bytes)},
          {"dynamic_shared_bytes", known(resources.dynamic_shared_bytes)},
          {"occupancy", known(resources.occupancy)},
          {"grid", shape(resources.grid)},
          {"block", shape(resources.block)}};
}

Json json_of(const Trial& trial) {
  Json object = {{"config", json_of(trial.config)}, {"status", status_name(trial.status)}};
  if (trial.id != 0) object["id"] = trial.id;
  if (!trial.ok()) {
    object["message"] = trial.message;
    return object;
  }
  const Timing& timing = trial.timing;
  object["time_us"] = {{"median", timing.median_us}, {"low", timing.low_us},
                       {"high", timing.high_us},     {"min", timing.min_us},
                       {"mean", timing.mean_us},     {"deviation", timing.deviation_us}};
  object["samples"] = trial.samples_us.size();
  object["metrics"] = json_of(trial.metrics);
  object["is_dropped_early"] = trial.is_dropped_early;
  object["resources"] = json_of(trial.resources);
  object["throttled"] = trial.conditions.throttled;
  object["compile_s"] = trial.compile_s;
  object["run_s"] = trial.run_s;
  return object;
}

void print(std::ostream& stream, const Json& json) {
  stream << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace gktune
