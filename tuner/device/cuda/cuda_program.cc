#include "tuner/device/cuda/cuda_program.h"

#include <algorithm>
#include <limits>

#include "tuner/measure/element.h"

namespace gktune {
namespace {

std::string size_text(const std::array<std::int64_t, 3>& size) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]);
}

// The largest size that the device allows, asked for when it is needed first.
int limit(Gpu& gpu, CUdevice_attribute which) {
  int value = 0;
  if (gpu.ok()) {
    gpu.check(gpu.driver().cuDeviceGetAttribute(&value, which, gpu.device()), "ask for the device's limits");
  }
  return value;
}

std::array<std::byte, 8> pack(const ArgumentPlan& argument) {
  std::array<std::byte, 8> bytes{};
  store_number(argument.type, bytes.data(), argument.scalar);
  return bytes;
}

// A grid that the device cannot launch, in words; empty: it can.
std::string misfit(Gpu& gpu, const StepPlan& plan) {
  constexpr CUdevice_attribute kGrid[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                          CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                          CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  constexpr CUdevice_attribute kBlock[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                                           CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                           CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};
  for (std::size_t i = 0; i < 3; ++i) {
    const char axis = "xyz"[i];
    const int most_blocks = limit(gpu, kGrid[i]), most_threads = limit(gpu, kBlock[i]);
    if (plan.grid[i] > most_blocks) {
      return std::string("a grid of ") + size_text(plan.grid) + " blocks: at most " +
             std::to_string(most_blocks) + " are allowed along " + axis;
    }
    if (plan.block[i] > most_threads) {
      return std::string("a block of ") + size_text(plan.block) + " threads: at most " +
             std::to_string(most_threads) + " are allowed along " + axis;
    }
    if (plan.grid[i] < 1 || plan.block[i] < 1) {
      return "nothing to launch: a grid of " + size_text(plan.grid) + " blocks of " + size_text(plan.block) +
             " threads";
    }
  }
  const std::int64_t threads = plan.block[0] * plan.block[1] * plan.block[2];
  const int most = limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > most) {
    return "a block of " + std::to_string(threads) + " threads: at most " + std::to_string(most) +
           " are allowed";
  }
  return {};
}

Failure refusal(const StepPlan& plan, const std::string& why) {
  return {Status::launch_failed, plan.entry + ": " + why};
}

}  // namespace

Result<CudaProgram, Failure> CudaProgram::bind(Gpu& gpu, std::shared_ptr<const CachedModule> code,
                                               const Module& module, const ProgramPlan& program,
                                               const std::vector<ArgumentPlan>& arguments) {
  CudaProgram bound;
  bound.code_ = std::move(code);
  bound.argument_count_ = arguments.size();
  std::vector<ArgumentPlan> passed = arguments;
  passed.insert(passed.end(), program.values.begin(), program.values.end());
  for (const auto& argument : passed) {
    const std::size_t size = element_size(argument.type);
    bound.scalars_.push_back(argument.is_scalar ? pack(argument) : Scalar{});
    bound.sizes_.push_back(argument.is_scalar ? size : sizeof(CUdeviceptr));
    bound.fill_sizes_.push_back(argument.count * size);
  }
  for (const auto& plan : program.steps) {
    if (plan.entry.empty()) {
      Step step;
      step.fill_argument = plan.fill_argument;
      step.fill_byte = static_cast<unsigned char>(plan.fill_byte);
      bound.steps_.push_back(std::move(step));
    } else if (auto added = bound.add_kernel(gpu, module, program, plan); !added) {
      (void)gpu.take_failure();
      return added.error();
    }
  }
  if (auto failure = gpu.take_failure()) return *failure;
  return bound;
}

Result<void, Failure> CudaProgram::add_kernel(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                              const StepPlan& plan) {
  const auto& entries = program.source.entries;
  const auto entry = static_cast<std::size_t>(std::ranges::find(entries, plan.entry) - entries.begin());
  if (entry >= module.symbols.size()) return refusal(plan, "is not among what was compiled");
  const std::string& symbol = module.symbols[entry];
  if (const std::string why = misfit(gpu, plan); !why.empty()) return refusal(plan, why);

  Step step;
  step.arguments = plan.arguments;
  step.shape = {plan.grid, plan.block, plan.shared_bytes};
  step.function = gpu.function(code_->code, symbol);

  // A launch reads as many parameters as the kernel has, whether or not they were given.
  if (gpu.ok() && gpu.driver().parameter_info != nullptr) {
    for (std::size_t i = 0; i <= plan.arguments.size(); ++i) {
      std::size_t offset = 0, size = 0;
      const bool is_there = gpu.driver().parameter_info(step.function, i, &offset, &size) == CUDA_SUCCESS;
      if (is_there == (i == plan.arguments.size())) {
        return refusal(plan, std::string("the kernel takes ") + (is_there ? "more" : "fewer") + " than the " +
                                 std::to_string(plan.arguments.size()) + " arguments of the launch");
      }
      if (is_there && size != sizes_[static_cast<std::size_t>(plan.arguments[i])]) {
        return refusal(plan, "parameter " + std::to_string(i + 1) + " takes " + std::to_string(size) +
                                 " bytes, the argument has " +
                                 std::to_string(sizes_[static_cast<std::size_t>(plan.arguments[i])]));
      }
    }
  }

  const int registers = gpu.attribute(step.function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  const int most_threads = gpu.attribute(step.function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  const std::int64_t static_shared = gpu.attribute(step.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const std::int64_t threads = plan.block[0] * plan.block[1] * plan.block[2];
  if (gpu.ok() && threads > most_threads) {
    return refusal(plan, "a block of " + std::to_string(threads) + " threads with " +
                             std::to_string(registers) + " registers each: the kernel can have " +
                             std::to_string(most_threads));
  }
  const int most_shared = limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (gpu.ok() && static_shared + plan.shared_bytes > most_shared) {
    return refusal(plan, std::to_string(static_shared + plan.shared_bytes) +
                             " bytes of shared memory: a block can have " + std::to_string(most_shared));
  }
  if (gpu.ok() && plan.shared_bytes > 0) {  // beyond 48 KiB the kernel needs an opt-in
    gpu.check(gpu.driver().cuFuncSetAttribute(step.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(plan.shared_bytes)),
              "ask for the shared memory");
  }
  note_resources(gpu, symbol, step);
  if (auto failure = gpu.take_failure()) {
    failure->message = plan.entry + ": " + failure->message;
    return *failure;
  }
  steps_.push_back(std::move(step));
  return {};
}

void CudaProgram::note_resources(Gpu& gpu, const std::string& symbol, const Step& step) {
  const auto& [grid, block, shared_bytes] = step.shape;
  const std::int64_t block_threads = block[0] * block[1] * block[2];
  const std::int64_t threads = block_threads * grid[0] * grid[1] * grid[2];
  if (threads <= most_threads_) return;
  most_threads_ = threads;

  resources_.registers = gpu.attribute(step.function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources_.static_shared_bytes = gpu.attribute(step.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources_.dynamic_shared_bytes = shared_bytes;
  resources_.spill_bytes = -1;
  const auto known = std::ranges::find(code_->kernels, symbol, &KernelResources::symbol);
  if (known != code_->kernels.end()) resources_.spill_bytes = known->spill_bytes;
  resources_.grid = grid;
  resources_.block = block;
  int blocks = 0;
  if (gpu.ok()) {
    gpu.check(
        gpu.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, step.function, static_cast<int>(block_threads), static_cast<std::size_t>(shared_bytes)),
        "ask for the occupancy");
  }
  const int most = limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  if (most > 0) {
    resources_.occupancy = static_cast<double>(blocks * block_threads) / static_cast<double>(most);
  }
}

void CudaProgram::launch(Gpu& gpu, std::span<const CUdeviceptr> buffers) const {
  std::vector<void*> parameters;
  for (const auto& step : steps_) {
    if (step.function == nullptr) {
      const auto filled = static_cast<std::size_t>(step.fill_argument);
      gpu.fill(buffers[filled], step.fill_byte, fill_sizes_[filled]);
      continue;
    }
    parameters.clear();
    for (int index : step.arguments) {
      const auto i = static_cast<std::size_t>(index);
      const bool is_buffer = i < buffers.size() && buffers[i] != 0;
      const void* at = is_buffer ? static_cast<const void*>(&buffers[i]) : scalars_[i].data();
      parameters.push_back(const_cast<void*>(at));  // the driver only reads there
    }
    gpu.launch(step.function, step.shape, parameters.data());
  }
}

}  // namespace gktune
