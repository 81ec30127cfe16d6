// Feeds bytes to the reader of space files, and its results to all later steps, without using the disk.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

Result<std::string> files(const std::string& path) {
  if (path.ends_with(".cu")) return std::string("#include \"a.h\"\n__global__ void f();\n");
  if (path.ends_with(".cc")) return std::string("void f();\n");
  return Error{"there is no such file"};
}

void exercise(const Definition& definition) {
  DeviceInfo device;
  device.kind = "cuda";
  device.max_threads_per_block = 1024;
  device.shared_bytes_per_block_optin = 48 << 10;
  Trial trial;
  for (const Parameter& parameter : definition.parameters) {
    trial.config.set(parameter.name, parameter.default_value.value_or(parameter.values.back()));
  }
  for (const Axis& axis : definition.kernel.axes) trial.problem.set(axis.name, axis.values.back());
  trial.timing.median_us = 12.5;
  const NamedValues attributes = device.attributes();
  Scope scope;
  scope.add(trial.config).add(trial.problem).add(attributes, "device.");
  for (const Constraint& each : with_device_limits(definition.constraints, definition.kernel, device))
    (void)each.condition.evaluate(scope);
  (void)resolve(definition.kernel, trial.config, trial.problem, device);
  (void)evaluate_metrics(definition.kernel, device, trial);
}

}  // namespace
}  // namespace gktune

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* kind : {"cuda", "host"}) {
    const auto read = gktune::read_space_text(text, "fuzz.yaml", {kind, {"auto", "random"}}, gktune::files);
    if (read) {
      gktune::exercise(*read);
    } else {
      for (const auto& diagnostic : read.error()) (void)diagnostic.str();
    }
  }
  return 0;
}
