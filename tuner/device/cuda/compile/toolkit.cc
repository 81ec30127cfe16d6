#include "tuner/device/cuda/compile/toolkit.h"

#include <algorithm>
#include <utility>

#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/compile/nvcc_compiler.h"
#include "tuner/device/cuda/compile/nvrtc.h"

namespace gktune {

Result<std::string> ToolkitBackend::host_code_compiler() {
  const auto nvcc = GKTUNE_TRY(NvccCompiler::open(places_));
  return nvcc.version();
}

namespace {

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

// The first four numbers describe the architecture, the others the chip.
struct Row {
  int number;
  int threads, blocks, shared_kib;  // of a multiprocessor
  const char* chip;
  int multiprocessors, l2_mib, memory_gib;
};
constexpr Row kRows[] = {
    {70, 2048, 32, 96, "V100", 80, 6, 32},        {72, 2048, 32, 96, "Xavier", 8, 1, 32},
    {75, 1024, 16, 64, "T4", 40, 4, 16},          {80, 2048, 32, 164, "A100", 108, 40, 80},
    {86, 1536, 16, 100, "RTX 3090", 82, 6, 24},   {87, 1536, 16, 164, "Orin", 16, 4, 64},
    {89, 1536, 24, 100, "RTX 4090", 128, 72, 24}, {90, 2048, 32, 228, "H100", 132, 50, 80},
    {100, 2048, 32, 228, "B200", 148, 126, 180},  {103, 2048, 32, 228, "B300", 148, 126, 270},
    {110, 1536, 24, 228, "Thor", 20, 32, 128},    {120, 1536, 24, 100, "RTX 5090", 170, 96, 32},
    {121, 1536, 24, 100, "GB10", 48, 24, 128},
};

// Fails with the error that a launch would cause.
class ResourceReporter : public Runner {
 public:
  explicit ResourceReporter(DeviceInfo info) : info_(std::move(info)) {}

  RunReply run(const RunJob& job) override {
    RunReply reply;
    if (auto failed = check(job.plan.candidate, job.candidate, reply.resources)) return *std::move(failed);
    Resources ignored;
    if (auto failed = check(job.plan.reference, job.reference, ignored)) {
      failed->message.insert(0, "the reference: ");
      return *std::move(failed);
    }
    if (auto failed = check(job.plan.verifier, job.verifier, ignored)) {
      failed->message.insert(0, "the verifier: ");
      return *std::move(failed);
    }
    return reply;
  }
  std::vector<RunReply> playoff(const PlayoffJob&) override { return {}; }

 private:
  static RunReply failure(Status status, std::string message) {
    RunReply reply;
    reply.status = status;
    reply.message = std::move(message);
    return reply;
  }

  // Returns the resources of the largest launch.
  std::optional<RunReply> check(const ProgramPlan& planned, const Module& module,
                                Resources& resources) const {
    const ProgramPlan program = launched_as(module, planned);
    // Launcher code shows what it launches when it runs.
    if (program.steps.empty() || program.source.language == Language::host) return std::nullopt;
    const auto code = read_module(module.path);
    if (!code) return failure(Status::machine_failed, code.error().message);
    if (code->kernels.empty()) return std::nullopt;  // made by another program
    std::int64_t most_threads = -1;
    for (const StepPlan& step : program.steps) {
      if (step.entry.empty()) continue;
      const auto entry =
          std::ranges::find(program.source.entries, step.entry) - program.source.entries.begin();
      const std::string& symbol = module.symbols.at(static_cast<std::size_t>(entry));
      const auto kernel = std::ranges::find(code->kernels, symbol, &KernelResources::symbol);
      if (kernel == code->kernels.end())
        return failure(Status::machine_failed, "the compiler reports no resources of " + step.entry);
      const std::int64_t block = step.block[0] * step.block[1] * step.block[2];
      if (auto why = misfit(*kernel, step, block); !why.empty())
        return failure(Status::launch_failed, step.entry + ": " + why);
      const std::int64_t threads = block * step.grid[0] * step.grid[1] * step.grid[2];
      if (threads <= most_threads) continue;
      most_threads = threads;
      resources.registers = kernel->registers;
      resources.spill_bytes = kernel->spill_bytes;
      resources.static_shared_bytes = kernel->static_shared_bytes;
      resources.dynamic_shared_bytes = step.shared_bytes;
      resources.grid = step.grid;
      resources.block = step.block;
    }
    return std::nullopt;
  }

  std::string misfit(const KernelResources& kernel, const StepPlan& step, std::int64_t block) const {
    const std::int64_t shared = kernel.static_shared_bytes + step.shared_bytes;
    if (shared > info_.shared_bytes_per_block_optin) {
      return std::to_string(shared) + " bytes of shared memory: a block can have " +
             std::to_string(info_.shared_bytes_per_block_optin);
    }
    // A warp's registers are allocated by 256.
    const std::int64_t warps = (block + info_.warp_size - 1) / info_.warp_size;
    const std::int64_t of_warp = (kernel.registers * info_.warp_size + 255) / 256 * 256;
    if (warps * of_warp > info_.registers_per_block) {
      return "a block of " + std::to_string(block) + " threads with " + std::to_string(kernel.registers) +
             " registers each: a block can have " + std::to_string(info_.registers_per_block) + " registers";
    }
    return {};
  }

  DeviceInfo info_;
};

class ArchitectureBackend : public ToolkitBackend {
 public:
  ArchitectureBackend(std::string architecture, const ToolkitPlaces& places)
      : ToolkitBackend(places), architecture_(std::move(architecture)) {}

  Result<DeviceInfo> probe() override { return info(); }
  Result<std::unique_ptr<Runner>> runner() override {
    auto info = GKTUNE_TRY(this->info());
    return std::unique_ptr<Runner>(std::make_unique<ResourceReporter>(std::move(info)));
  }

 private:
  Result<DeviceInfo> info() const {
    const auto nvrtc = GKTUNE_TRY(Nvrtc::open(places()));
    std::string known;
    for (const int each : nvrtc.architectures())
      known += (known.empty() ? "sm_" : ", sm_") + std::to_string(each);
    if (std::ranges::find(nvrtc.architectures(), architecture_number(architecture_)) ==
        nvrtc.architectures().end()) {
      return Error{"NVRTC " + nvrtc.version() + " does not compile for '" + architecture_ + "'; it knows " +
                   known};
    }
    auto info = architecture_info(architecture_);
    if (info) info->compiler = "NVRTC " + nvrtc.version();
    return info;
  }

  std::string architecture_;
};

}  // namespace

Result<DeviceInfo> architecture_info(const std::string& architecture) {
  const int number = architecture_number(architecture);
  if (number == 0) return Error{"'" + architecture + "' is not an architecture such as sm_90"};
  DeviceInfo info;
  info.kind = "cuda";
  info.architecture = "sm_" + std::to_string(number);
  info.max_threads_per_block = 1024;
  info.max_block_x = info.max_block_y = 1024;
  info.max_block_z = 64;
  info.max_grid_x = 2147483647;
  info.max_grid_y = info.max_grid_z = 65535;
  info.registers_per_block = info.registers_per_multiprocessor = 65536;
  info.shared_bytes_per_block = 48 * kKiB;
  info.constant_bytes = 64 * kKiB;
  // An architecture that is newer than the table has at least the limits of the last one before it of its
  // generation, as code for that one runs on it.
  const Row* row = nullptr;
  for (const Row& each : kRows) {
    if (each.number == number || (each.number < number && each.number / 10 == number / 10)) row = &each;
  }
  if (row == nullptr) return Error{"the limits of " + info.architecture + " are not known"};
  const bool is_exact = row->number == number;
  info.name = info.architecture + (is_exact ? ", as in " : ", with the limits of ") + row->chip;
  info.multiprocessors = row->multiprocessors;
  info.max_threads_per_multiprocessor = row->threads;
  info.max_blocks_per_multiprocessor = row->blocks;
  info.shared_bytes_per_multiprocessor = row->shared_kib * kKiB;
  // The system keeps 1 KiB of each block from sm_80 on.
  info.shared_bytes_per_block_optin = (row->shared_kib - (number >= 80 ? 1 : 0)) * kKiB;
  info.l2_bytes = row->l2_mib * kMiB;
  info.memory_bytes = row->memory_gib * kGiB;
  return info;
}

std::unique_ptr<Backend> open_architecture_backend(std::string architecture, const ToolkitPlaces& places) {
  return std::make_unique<ArchitectureBackend>(std::move(architecture), places);
}

}  // namespace gktune
