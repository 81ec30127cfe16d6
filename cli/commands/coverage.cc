#include "cli/commands/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/selection.h"
#include "gktune/lookup.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// The devices whose answers count. Without any the question is about an unknown one.
Result<std::vector<DeviceIdentity>> asked_devices(const std::string& named, const std::vector<Winner>& winners) {
  std::vector<DeviceIdentity> devices;
  for (const Winner& winner : winners) {
    if (std::ranges::find(devices, winner.study.device) == devices.end()) devices.push_back(winner.study.device);
  }
  if (!named.empty()) {
    auto device = find_device(named, devices);
    if (!device) return device.error();
    devices = {*std::move(device)};
  }
  if (devices.empty()) devices.emplace_back();
  return devices;
}

}  // namespace

ExitCode print_coverage(const CoverageRequest& request, const std::vector<Winner>& winners, Context& context) {
  const auto devices = asked_devices(request.device, winners);
  if (!devices) return fail(context, ExitCode::no_device, devices.error().message);
  const auto lookup = Lookup::open(request.database);
  if (!lookup) return fail(context, lookup.error());
  Table table;
  int count = 0, worse = 0;
  for (const std::string& path : request.spaces) {
    for (const DeviceIdentity& device : *devices) {
      const auto definition = read_space_file(path, {.device_kind = device.kind, .strategies = {}});
      if (!definition) return fail(context, definition.error());
      const auto problems = select_problems(definition->kernel, {});
      if (!problems) return fail(context, problems.error());
      const Question question{.device = device, .freshness = {.fingerprint = definition->fingerprint}};
      for (const Problem& problem : *problems) {
        const Answer answer = lookup->best(definition->kernel.name, problem, question);
        ++count;
        if (answer.match > request.worst) ++worse;
        table.add({{"kernel", definition->kernel.name},
                   {"problem", problem_cell(problem)},
                   {"device", device_cell(device)},
                   {"match", match_name(answer.match)},
                   {"tuned_problem", problem_cell(answer.problem)},
                   {"time_us", json_above_zero(answer.time_us), Unit::microseconds, "time"},
                   json_field("reason", answer.reason)});
      }
    }
  }
  table.print(context, request.format);
  if (worse == 0) return ExitCode::done;
  return fail(context, ExitCode::worse_match,
              fmt::format("{} of {} answers are worse than {}", worse, count, match_name(request.worst)));
}

}  // namespace gktune
