#include "cli/devices.h"

#include <fmt/format.h>

#include <utility>

#include "cli/output/units.h"
#include "tuner/core/device_info.h"

namespace gktune {
namespace {

ExitCode exit_code_of(EngineError::Kind kind) {
  using Kind = EngineError::Kind;
  if (kind == Kind::invalid) return ExitCode::usage;
  if (kind == Kind::no_device || kind == Kind::wrong_device) return ExitCode::no_device;
  return kind == Kind::no_configuration ? ExitCode::no_configuration : ExitCode::failed;
}

Cell clock_cell(std::int64_t khz) {
  if (khz == 0) return {};
  return {fmt::format("{:.0f} MHz", static_cast<double>(khz) / 1e3), Json(khz)};
}

Cell extent_cell(std::int64_t x, std::int64_t y, std::int64_t z) {
  if (x == 0) return {};
  return {fmt::format("{} × {} × {}", format_count(x), format_count(y), format_count(z)), Json{x, y, z}};
}

// sm_90 is compute capability 9.0.
std::string compute_capability(const std::string& architecture) {
  if (!architecture.starts_with("sm_")) return {};
  std::string digits = architecture.substr(3, architecture.find_first_not_of("0123456789", 3) - 3);
  if (digits.size() < 2) return {};
  return digits.substr(0, digits.size() - 1) + '.' + digits.back();
}

}  // namespace

std::vector<std::string> worker_argv(const Context& context) {
  return {context.environment.program.string(), "worker"};
}

UnsafeOptions unsafe_options(const DeviceFlags& flags) {
  return flags.allows_unsafe_options ? UnsafeOptions::allowed : UnsafeOptions::refused;
}

WorkerSettings worker_settings(const DeviceFlags& flags, const Context& context) {
  return {.argv = worker_argv(context),
          .cache_dir = flags.cache_dir.empty() ? context.environment.cache_dir
                                               : std::filesystem::path(flags.cache_dir),
          .jobs = flags.jobs,
          .seed = static_cast<std::uint64_t>(flags.seed)};
}

std::vector<OpenedSpaces> read_files(const std::vector<std::string>& paths, const DeviceChoice& choice,
                                     const DeviceFlags& flags, UnsafeOptions options, Context& context) {
  using Kind = DeviceChoice::Kind;
  const bool may_use_gpu = choice.kind == Kind::automatic || choice.kind == Kind::gpu;
  // The GPUs that earlier commands found in this machine.
  const DeviceCache cache = may_use_gpu ? DeviceCache(worker_settings(flags, context).cache_dir,
                                                      gpus_of_machine(), context.environment.gpu_settings)
                                        : DeviceCache();
  auto opened = open_spaces(
      paths, choice, worker_argv(context),
      [&context](const std::string& notice) { context.log.info(notice); }, options, cache);
  if (!opened) throw Ended{fail(context, opened.error())};
  for (const OpenedSpaces& group : *opened) {
    for (const Definition& definition : group.definitions) warn(context, definition.warnings);
  }
  return *std::move(opened);
}

OpenedSpace read_file(const std::string& path, const DeviceChoice& choice, const DeviceFlags& flags,
                      UnsafeOptions options, Context& context) {
  auto opened = read_files({path}, choice, flags, options, context);
  OpenedSpaces& only = opened.front();
  return OpenedSpace{std::move(only.device), std::move(only.definitions.front())};
}

ExitCode fail(Context& context, const EngineError& error) {
  if (!error.diagnostics.empty()) fail(context, error.diagnostics);
  if (!error.message.empty()) context.log.error(error.message);
  if (error.kind == EngineError::Kind::wrong_device) hint(context, "--device host");
  if (error.kind == EngineError::Kind::no_cache) hint(context, "--cache names another folder");
  return exit_code_of(error.kind);
}

Record describe(const DeviceInfo& device) {
  const bool is_gpu = gktune::is_gpu(device.kind);
  const double bandwidth = peak_bandwidth_gbs(device);
  const std::int64_t bus = device.memory_bus_bits;
  Record record = {
      {"architecture", device.architecture},
      {"compute capability", compute_capability(device.architecture)},
      {is_gpu ? "multiprocessors" : "cores", device.multiprocessors, Unit::count},
      {"clock", clock_cell(device.clock_khz)},
      {"memory", device.memory_bytes, Unit::bytes},
      {"memory bandwidth", bandwidth > 0 ? Cell(fmt::format("{:.0f} GB/s", bandwidth), bandwidth) : Cell()},
      {"memory clock", clock_cell(device.memory_clock_khz)},
      {"memory bus", bus > 0 ? Cell(fmt::format("{} bits", bus), bus) : Cell()},
      {is_gpu ? "L2 cache" : "last cache", device.l2_bytes, Unit::bytes},
      {"constant memory", device.constant_bytes, Unit::bytes},
      {"shared memory per block", device.shared_bytes_per_block, Unit::bytes},
      {"  with opt-in", device.shared_bytes_per_block_optin, Unit::bytes},
      {"  per multiprocessor", device.shared_bytes_per_multiprocessor, Unit::bytes},
      {"registers per block", device.registers_per_block, Unit::count},
      {"  per multiprocessor", device.registers_per_multiprocessor, Unit::count},
      {"warp size", device.warp_size, Unit::count},
      {"threads per block", device.max_threads_per_block, Unit::count},
      {"  per multiprocessor", device.max_threads_per_multiprocessor, Unit::count},
      {"blocks per multiprocessor", device.max_blocks_per_multiprocessor, Unit::count},
      {"largest block", extent_cell(device.max_block_x, device.max_block_y, device.max_block_z)},
      {"largest grid", extent_cell(device.max_grid_x, device.max_grid_y, device.max_grid_z)},
      {"ECC", is_gpu ? Cell(device.ecc) : Cell()},
      {"MIG", is_gpu ? Cell(device.mig) : Cell()},
      {is_gpu ? "driver" : "system", device.driver},
      {"CUDA", device.runtime},
      {"compiler", device.compiler}};
  std::erase_if(record, [](const Field& field) {
    const Json& value = field.cell.value;
    return value.is_null() || value == "" || (value.is_number() && value <= 0);
  });
  return record;
}

}  // namespace gktune
