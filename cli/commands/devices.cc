// gktune devices: lists the devices and their limits.
#include <fmt/format.h>

#include <ostream>

#include "cli/commands/commands.h"
#include "cli/device_flags.h"
#include "cli/flags.h"
#include "cli/output/device_text.h"
#include "cli/output/json.h"
#include "cli/output/table.h"
#include "engine/devices.h"
#include "tuner/core/device_kinds.h"
#include "tuner/device/backends.h"

namespace gktune {
namespace {

struct DevicesOptions {
  bool json = false;
};

void declare(Flags& flags, DevicesOptions& options) { flags.json(options.json); }

void print_device(const std::string& name, const DeviceInfo& device, Context& context) {
  context.out << paint(context.out_screen, Ink::bold, fmt::format("{}  {}", name, device.name)) << '\n';
  std::size_t widest = 0;
  auto lines = describe(device);
  for (const auto& [what, value] : lines) widest = std::max(widest, columns_of(what));
  for (const auto& [what, value] : lines) {
    context.out << "  " << what << std::string(widest - columns_of(what) + 2, ' ') << value << '\n';
  }
}

ExitCode run(const DevicesOptions& options, Context& context) {
  Json array = Json::array();
  std::size_t found = 0;
  for (const std::string& kind : device_kinds()) {
    auto count = count_devices(worker_argv(context), kind);
    if (!count) context.err << kind << ": " << count.error().message << '\n';
    for (int ordinal = 0; ordinal < (count ? *count : 0); ++ordinal) {
      std::string name = is_gpu(kind) ? fmt::format("{}:{}", kind, ordinal) : kind;
      auto info = probe_device(worker_argv(context), {kind, ordinal});
      if (!info) {
        context.err << name << ": " << info.error().message << '\n';
        continue;
      }
      ++found;
      if (options.json) {
        array.push_back(json_of(*info));
        array.back()["device"] = name;
      } else {
        if (found > 1) context.out << '\n';
        print_device(name, *info, context);
      }
    }
  }
  if (options.json) print(context.out, array);
  return found > 0 ? ExitCode::done : ExitCode::no_device;
}

}  // namespace

Command devices_command() {
  return make_command<DevicesOptions>("devices", "List the devices and their limits", "gktune devices",
                                      declare, run);
}

}  // namespace gktune
