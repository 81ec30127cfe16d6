#include "tuner/device/cuda/cuda_program.h"

#include <algorithm>
#include <utility>

#include "gktune/element_type.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/device/worker/fault_report.h"

namespace gktune {
namespace {

constexpr std::size_t kMost = 16;

// Sections of global variables have this in their names; sections of constants do not.
bool has_variables(std::string_view cubin) { return cubin.find(".nv.global") != cubin.npos; }

// printf and assert are calls of functions with these names.
bool may_print(std::string_view cubin) {
  return cubin.find("vprintf") != cubin.npos || cubin.find("__assertfail") != cubin.npos;
}

bool uses_heap(std::string_view cubin) { return cubin.find("malloc") != cubin.npos; }

}  // namespace

Result<std::shared_ptr<const CachedModule>, Failure> ModuleCache::get(const std::string& path) {
  const auto known = std::ranges::find_if(modules_, [&](const auto& module) { return module->path == path; });
  if (known != modules_.end()) {
    modules_.splice(modules_.begin(), modules_, known);
    return modules_.front();
  }
  if (auto whole = CompileCache::verify(path); !whole) {
    return Failure{Status::machine_failed, whole.error().message};
  }
  auto compiled = read_module(path);
  if (!compiled) return Failure{Status::machine_failed, compiled.error().message};
  LoadedModule code = gpu_.load(compiled->cubin);
  if (auto failure = gpu_.take_failure()) return *failure;
  auto module = std::make_shared<const CachedModule>(path, std::move(code), std::move(compiled->kernels),
                                                     may_print(compiled->cubin), uses_heap(compiled->cubin));
  if (has_variables(compiled->cubin)) return module;
  modules_.push_front(std::move(module));
  if (modules_.size() > kMost) modules_.pop_back();
  return modules_.front();
}

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

constexpr std::size_t kMostParameters = 256;  // of a space file

// Why the device cannot give the launch its attributes; empty: it can.
std::string misfit(Gpu& gpu, CUfunction function, const LaunchShape& shape) {
  const LaunchAttributes& attributes = shape.attributes;
  const std::int64_t blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
  const auto threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
  if (attributes.is_cooperative) {
    int at_once = 0;
    if (gpu.ok()) {
      gpu.check(gpu.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &at_once, function, threads, static_cast<std::size_t>(shape.shared_bytes)),
                "ask for the occupancy");
    }
    at_once *= limit(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (blocks > at_once) {
      return "a cooperative grid of " + std::to_string(blocks) + " blocks: the GPU runs " +
             std::to_string(at_once) + " of them at once";
    }
  }
  const bool has_clusters = attributes.cluster_blocks() > 1;
  const int major = limit(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  if ((has_clusters || attributes.is_programmatic) && major < 9) {
    return std::string(has_clusters ? "thread-block clusters" : "programmatic launches") +
           " need a GPU of compute capability 9.0, this one has " + std::to_string(major) + '.' +
           std::to_string(limit(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  }
  if (!has_clusters) return {};
  if (gpu.ok() && attributes.cluster_blocks() > 8) {  // larger ones need an opt-in
    gpu.check(
        gpu.driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "ask for a large cluster");
  }
  if (gpu.ok() && LaunchConfig(shape).most_clusters(gpu.driver(), function) < 1)
    return "a cluster of " + size_text(attributes.cluster) + " blocks does not fit on this GPU";
  return {};
}

// The driver checks the alignment of an address and nothing else.
constexpr CUdeviceptr kAnyAlignedAddress = 1 << 20;

CUtensorMapDataType data_type_of(ElementType type) {
  constexpr std::pair<ElementType, CUtensorMapDataType> kTypes[] = {
      {ElementType::float16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
      {ElementType::bfloat16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
      {ElementType::float32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
      {ElementType::float64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
      {ElementType::int32, CU_TENSOR_MAP_DATA_TYPE_INT32},
      {ElementType::int64, CU_TENSOR_MAP_DATA_TYPE_INT64}};
  for (const auto& [known, in_map] : kTypes) {
    if (known == type) return in_map;
  }
  const std::size_t bytes = element_size(type);  // which are copied
  return bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
         : bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
         : bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                      : CU_TENSOR_MAP_DATA_TYPE_UINT64;
}

CUresult encode(const Driver& driver, const TensorMapPlan& plan, CUdeviceptr address, CUtensorMap& map) {
  cuuint64_t sizes[5] = {}, strides[5] = {};
  cuuint32_t box[5] = {}, steps[5] = {1, 1, 1, 1, 1};
  for (std::size_t i = 0; i < plan.sizes.size(); ++i) {
    sizes[i] = static_cast<cuuint64_t>(plan.sizes[i]);
    box[i] = static_cast<cuuint32_t>(plan.box[i]);
  }
  for (std::size_t i = 0; i < plan.stride_bytes.size(); ++i)
    strides[i] = static_cast<cuuint64_t>(plan.stride_bytes[i]);
  const CUtensorMapSwizzle swizzle = plan.swizzle_bytes == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
                                     : plan.swizzle_bytes == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : plan.swizzle_bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                                 : CU_TENSOR_MAP_SWIZZLE_NONE;
  return driver.cuTensorMapEncodeTiled(
      &map, data_type_of(plan.type), static_cast<cuuint32_t>(plan.sizes.size()),
      reinterpret_cast<void*>(address), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// The registers or the shared memory that a block of the launch cannot have, in words; empty: it can.
std::string resource_misfit(Gpu& gpu, CUfunction function, const StepPlan& plan) {
  const int registers = gpu.attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  const int most_threads = gpu.attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  const std::int64_t shared =
      gpu.attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + plan.shared_bytes;
  const int most_shared = limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  const std::int64_t threads = plan.block[0] * plan.block[1] * plan.block[2];
  if (!gpu.ok()) return {};
  if (threads > most_threads) {
    return "a block of " + std::to_string(threads) + " threads with " + std::to_string(registers) +
           " registers each: the kernel can have " + std::to_string(most_threads);
  }
  if (shared > most_shared) {
    return std::to_string(shared) + " bytes of shared memory: a block can have " +
           std::to_string(most_shared);
  }
  return {};
}

Failure refusal(const StepPlan& plan, const std::string& why) {
  return {Status::launch_failed, plan.entry + ": " + why};
}

// The symbol of an entry in the compiled code; null: it is not there.
const std::string* symbol_of(const std::string& entry, const Module& module, const ProgramPlan& program) {
  const auto& entries = program.source.entries;
  const auto at = static_cast<std::size_t>(std::ranges::find(entries, entry) - entries.begin());
  return at < module.symbols.size() ? &module.symbols[at] : nullptr;
}

}  // namespace

Result<CudaProgram, Failure> CudaProgram::bind(Gpu& gpu, std::shared_ptr<const CachedModule> code,
                                               const Module& module, const ProgramPlan& planned,
                                               const std::vector<ArgumentPlan>& arguments) {
  const ProgramPlan program = launched_as(module, planned);
  CudaProgram bound;
  bound.code_ = std::move(code);
  bound.passed_ = PassedValues(arguments, program);
  bound.buffer_bytes_ = buffer_bytes_of(arguments);
  for (const auto& [plans, steps] :
       {std::pair(&program.steps, &bound.steps_), std::pair(&program.setup_once, &bound.setup_once_),
        std::pair(&program.setup_each, &bound.setup_each_)}) {
    if (auto added = bound.add_steps(gpu, module, program, *plans, *steps); !added) {
      (void)gpu.take_failure();
      return added.error();
    }
  }
  GKTUNE_TRY(bound.add_variables(gpu, module, program, arguments));
  if (auto failure = gpu.take_failure()) return *failure;
  return bound;
}

Result<void, Failure> CudaProgram::add_steps(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                             const std::vector<StepPlan>& plans, std::vector<Step>& steps) {
  for (const StepPlan& plan : plans) {
    if (plan.entry.empty()) {
      Step step;
      if (plan.flag_argument >= 0) step.flag = static_cast<std::size_t>(plan.flag_argument);
      step.skipped = plan.skipped;
      may_wait_ = may_wait_ || step.flag;
      step.fill_argument = static_cast<std::size_t>(plan.fill_argument);
      step.fill_byte = static_cast<unsigned char>(plan.fill_byte);
      steps.push_back(std::move(step));
      continue;
    }
    steps.push_back(GKTUNE_TRY(kernel(gpu, module, program, plan)));
  }
  return {};
}

Result<void, Failure> CudaProgram::add_variables(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                                 const std::vector<ArgumentPlan>& arguments) {
  for (const VariablePlan& plan : program.variables) {
    const auto index = static_cast<std::size_t>(plan.argument);
    const std::string* symbol = symbol_of(plan.entry, module, program);
    if (symbol == nullptr) {
      return Failure{Status::launch_failed,
                     "the variable " + plan.entry.substr(1) + " is not in the compiled code"};
    }
    std::size_t bytes = 0;
    const CUdeviceptr address = gpu.variable(code_->code, *symbol, bytes);
    if (auto failure = gpu.take_failure()) return *failure;
    GKTUNE_TRY(check_variable(plan, bytes, arguments[index]));
    variables_.push_back({address, index, arguments[index].role != Argument::Role::in});
  }
  return {};
}

Result<CudaProgram::Step, Failure> CudaProgram::kernel(Gpu& gpu, const Module& module,
                                                       const ProgramPlan& program, const StepPlan& plan) {
  const std::string* symbol = symbol_of(plan.entry, module, program);
  if (symbol == nullptr) return refusal(plan, "is not in the compiled code");

  const LaunchShape shape{plan.grid, plan.block, plan.shared_bytes, plan.attributes};
  Step step;
  step.config = LaunchConfig(shape);
  for (const int index : plan.arguments)
    step.parameters.push_back({static_cast<std::size_t>(index), passed_.own(index)});
  step.function = gpu.function(code_->code, *symbol);
  for (const std::string& why :
       {parameter_misfit(gpu, step.function, plan), add_objects(gpu, program, plan, step),
        resource_misfit(gpu, step.function, plan)}) {
    if (!why.empty()) return refusal(plan, why);
  }
  if (gpu.ok() && plan.shared_bytes > 0) {  // beyond 48 KiB the kernel needs an opt-in
    gpu.check(gpu.driver().cuFuncSetAttribute(step.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(plan.shared_bytes)),
              "ask for the shared memory");
  }
  if (const std::string why = misfit(gpu, step.function, shape); gpu.ok() && !why.empty())
    return refusal(plan, why);
  note_resources(gpu, *symbol, step.function, shape);
  if (auto failure = gpu.take_failure()) {
    failure->message = plan.entry + ": " + failure->message;
    return *failure;
  }
  return step;
}

// A launch reads as many parameters as the kernel has, whether or not they were given.
std::string CudaProgram::parameter_misfit(Gpu& gpu, CUfunction function, const StepPlan& plan) const {
  if (!gpu.ok() || gpu.driver().parameter_info == nullptr) return {};
  for (std::size_t i = 0; i <= plan.arguments.size(); ++i) {
    std::size_t offset = 0, size = 0;
    const bool is_there = gpu.driver().parameter_info(function, i, &offset, &size) == CUDA_SUCCESS;
    if (is_there == (i == plan.arguments.size())) {
      return std::string("the kernel takes ") + (is_there ? "more" : "fewer") + " than the " +
             std::to_string(plan.arguments.size()) + " arguments of the launch";
    }
    if (is_there && size != passed_.bytes(plan.arguments[i])) {
      return "parameter " + std::to_string(i + 1) + " takes " + std::to_string(size) +
             " bytes, the argument has " + std::to_string(passed_.bytes(plan.arguments[i]));
    }
  }
  return {};
}

std::string CudaProgram::add_objects(Gpu& gpu, const ProgramPlan& program, const StepPlan& plan,
                                     Step& step) const {
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const auto value = static_cast<std::size_t>(plan.arguments[i]) - buffer_bytes_.size();
    if (value >= program.values.size()) continue;
    if (program.values[value].is_texture()) step.textures.emplace_back(i, program.values[value].texture);
    if (!program.values[value].is_tensor_map()) continue;
    step.tensor_maps.emplace_back(i, program.values[value].tensor_map);
    CUtensorMap map;
    if (gpu.ok() &&
        encode(gpu.driver(), step.tensor_maps.back().second, kAnyAlignedAddress, map) != CUDA_SUCCESS)
      return "the driver refuses the " + program.values[value].name + " for parameter " +
             std::to_string(i + 1);
  }
  const bool has_structs =
      std::ranges::any_of(plan.arguments, [&](int index) { return passed_.is_struct(index); });
  if (has_structs || !step.tensor_maps.empty() || !step.textures.empty()) step.assembled = plan.arguments;
  return {};
}

void CudaProgram::note_resources(Gpu& gpu, const std::string& symbol, CUfunction function,
                                 const LaunchShape& shape) {
  const auto& [grid, block, shared_bytes, attributes] = shape;
  const std::int64_t block_threads = block[0] * block[1] * block[2];
  const std::int64_t threads = block_threads * grid[0] * grid[1] * grid[2];
  if (threads <= most_threads_) return;
  most_threads_ = threads;

  resources_.registers = gpu.attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources_.static_shared_bytes = gpu.attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources_.dynamic_shared_bytes = shared_bytes;
  resources_.spill_bytes = -1;
  const auto known = std::ranges::find(code_->kernels, symbol, &KernelResources::symbol);
  if (known != code_->kernels.end()) resources_.spill_bytes = known->spill_bytes;
  resources_.grid = grid;
  resources_.block = block;
  int blocks = 0;
  if (gpu.ok()) {
    gpu.check(gpu.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                  &blocks, function, static_cast<int>(block_threads), static_cast<std::size_t>(shared_bytes)),
              "ask for the occupancy");
  }
  const int most = limit(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  if (most > 0) {
    resources_.occupancy = static_cast<double>(blocks * block_threads) / static_cast<double>(most);
  }
}

CUresult CudaProgram::queue(const Driver& driver, CUstream stream, const std::vector<Step>& steps,
                            void* const* values) const {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Step& step = steps[at];
    CUresult code = CUDA_SUCCESS;
    if (step.flag) {
      bool is_set = false;
      code = read_flag(driver, stream, *static_cast<const CUdeviceptr*>(values[*step.flag]),
                       buffer_bytes_[*step.flag], is_set);
      if (is_set) at += step.skipped;
    } else if (step.function == nullptr) {
      code = driver.cuMemsetD8Async(*static_cast<const CUdeviceptr*>(values[step.fill_argument]),
                                    step.fill_byte, buffer_bytes_[step.fill_argument], stream);
    } else if (!step.assembled.empty()) {
      code = queue_assembled(driver, stream, step, values);
    } else {
      void* parameters[kMostParameters];
      void** next = parameters;
      for (const auto& [argument, own] : step.parameters)
        *next++ = own != nullptr ? const_cast<void*>(own) : values[argument];  // functions take copies
      code = step.config.launch(driver, step.function, stream, parameters);
    }
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult CudaProgram::queue_assembled(const Driver& driver, CUstream stream, const Step& step,
                                      void* const* values) const {
  void* parameters[kMostParameters];
  std::vector<std::byte> structs;
  std::vector<CUtensorMap> tensor_maps(step.tensor_maps.size());
  passed_.point_to(step.assembled, values, parameters, structs);
  for (std::size_t i = 0; i < tensor_maps.size(); ++i) {
    const auto& [place, map] = step.tensor_maps[i];
    const auto* address = static_cast<const CUdeviceptr*>(values[static_cast<std::size_t>(map.argument)]);
    const CUresult code = encode(driver, map, *address, tensor_maps[i]);
    if (code != CUDA_SUCCESS) return code;
    parameters[place] = &tensor_maps[i];
  }
  std::vector<CUtexObject> textures;
  if (const CUresult code = find_textures(driver, step, values, textures); code != CUDA_SUCCESS) return code;
  for (std::size_t i = 0; i < textures.size(); ++i) parameters[step.textures[i].first] = &textures[i];
  return step.config.launch(driver, step.function, stream, parameters);
}

CUresult CudaProgram::find_textures(const Driver& driver, const Step& step, void* const* values,
                                    std::vector<CUtexObject>& textures) const {
  textures.resize(step.textures.size());
  for (std::size_t i = 0; i < textures.size(); ++i) {
    const TexturePlan& plan = step.textures[i].second;
    const auto* address = static_cast<const CUdeviceptr*>(values[static_cast<std::size_t>(plan.argument)]);
    if (const CUresult code = textures_->find(driver, plan, *address, textures[i]); code != CUDA_SUCCESS)
      return code;
  }
  return CUDA_SUCCESS;
}

CUresult CudaProgram::prepare(const Driver& driver, CUstream stream, void* const* values) const {
  // Making a texture may wait for the device, which is held while the launches are queued.
  for (const Step& step : steps_) {
    std::vector<CUtexObject> textures;
    if (const CUresult code = find_textures(driver, step, values, textures); code != CUDA_SUCCESS)
      return code;
  }
  for (const Variable& variable : variables_) {
    const CUresult code = driver.cuMemcpyDtoDAsync(
        variable.address, *static_cast<const CUdeviceptr*>(values[variable.argument]),
        buffer_bytes_[variable.argument], stream);
    if (code != CUDA_SUCCESS) return code;
  }
  for (const auto* steps : {&setup_once_, &setup_each_}) {
    if (const CUresult code = queue(driver, stream, *steps, values); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult CudaProgram::execute(const Driver& driver, CUstream stream, void* const* values) const {
  return queue(driver, stream, steps_, values);
}

CUresult CudaProgram::finish(const Driver& driver, CUstream stream, void* const* values) const {
  for (const Variable& variable : variables_) {
    if (!variable.is_written) continue;
    const CUresult code =
        driver.cuMemcpyDtoDAsync(*static_cast<const CUdeviceptr*>(values[variable.argument]),
                                 variable.address, buffer_bytes_[variable.argument], stream);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

std::optional<CudaProgram::PlainLaunch> CudaProgram::plain_launch() const {
  if (!variables_.empty() || !setup_once_.empty() || !setup_each_.empty() || steps_.size() != 1)
    return std::nullopt;
  const Step& step = steps_.front();
  if (step.function == nullptr || !step.assembled.empty()) return std::nullopt;
  return PlainLaunch{step.function, step.config.config(), step.parameters};
}

CUresult CudaProgram::run(const Driver& driver, CUstream stream, void* const* values) const {
  CUresult code = prepare(driver, stream, values);
  if (code == CUDA_SUCCESS) code = execute(driver, stream, values);
  if (code == CUDA_SUCCESS) code = finish(driver, stream, values);
  return code;
}

bool CudaProgram::needs_each_setup() const {
  return !setup_each_.empty() || std::ranges::any_of(variables_, &Variable::is_written);
}

void CudaProgram::queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const {
  if (!gpu.ok()) return;
  const std::vector<void*> values = passed_.values_at(addresses);
  const auto method = part == Part::prepare   ? &CudaProgram::prepare
                      : part == Part::execute ? &CudaProgram::execute
                                              : &CudaProgram::finish;
  std::optional<BoundedStep> bounded;
  if (may_wait_) bounded.emplace();
  gpu.check((this->*method)(gpu.driver(), gpu.stream(), values.data()),
            may_wait_ ? nullptr : "launch the kernel");
}

}  // namespace gktune
