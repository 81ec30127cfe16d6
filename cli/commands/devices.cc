// gktune devices: lists the devices and their limits.
#include "engine/devices.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "tuner/core/device_info.h"
#include "tuner/device/backends.h"

namespace gktune {
namespace {

struct DevicesOptions {
  TableFormat format;
};

void declare(Flags& flags, DevicesOptions& options) { flags.table_format(options.format); }

void print_device(const std::string& name, const DeviceInfo& device, Context& context) {
  context.out << paint(context.out_screen, Ink::bold, fmt::format("{}  {}", name, device.name)) << '\n';
  const Record fields = describe(device);
  std::size_t widest = 0;
  for (const Field& field : fields) widest = std::max(widest, columns_of(field.key));
  for (const Field& field : fields) {
    context.out << "  " << field.key << std::string(widest - columns_of(field.key) + 2, ' ')
                << text_of(field.cell, field.unit) << '\n';
  }
}

ExitCode run(const DevicesOptions& options, Context& context) {
  Table table;
  for (const std::string& kind : device_kinds()) {
    auto count = count_devices(worker_argv(context), kind);
    if (!count) context.err << kind << ": " << count.error().message << '\n';
    for (int ordinal = 0; ordinal < (count ? *count : 0); ++ordinal) {
      const std::string name = is_gpu(kind) ? fmt::format("{}:{}", kind, ordinal) : kind;
      auto info = probe_device(worker_argv(context), {kind, ordinal});
      if (!info) {
        context.err << name << ": " << info.error().message << '\n';
        continue;
      }
      if (options.format.is_text()) {
        if (!table.empty()) context.out << '\n';
        print_device(name, *info, context);
      }
      Record record = {{"device", name}};
      const Json fields = json_of(*info);
      for (const auto& [key, value] : fields.items()) record.push_back({key, value});
      table.add(std::move(record));
    }
  }
  if (!options.format.is_text()) table.print(context, options.format);
  return table.empty() ? ExitCode::no_device : ExitCode::done;
}

}  // namespace

Command devices_command() {
  return make_command<DevicesOptions>("devices", "List the devices and their limits", "gktune devices",
                                      declare, run);
}

}  // namespace gktune
