#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "runtime/launch_device.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/device/cuda/cuda_program.h"
#include "tuner/device/cuda/gpu.h"

namespace gktune {
namespace {

std::string gpu_error(const Driver& driver, const char* doing, CUresult code) {
  return std::string("cannot ") + doing + ": " + driver.describe(code);
}

// The context is the calling thread's while the object lives. A stream capture of the thread goes on: it
// allows loading and allocating meanwhile.
class ContextScope {
 public:
  ContextScope(const Driver& driver, CUcontext context) : driver_(driver) {
    is_pushed_ = driver_.cuCtxPushCurrent(context) == CUDA_SUCCESS;
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope() {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
    CUcontext popped = nullptr;
    if (is_pushed_) driver_.cuCtxPopCurrent(&popped);
  }

 private:
  const Driver& driver_;
  bool is_pushed_ = false;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// The context of a kernel.
class OwnContext {
 public:
  OwnContext(const Driver& driver, CUcontext context) : driver_(driver), context_(context) {}

  bool is_current() const {
    CUcontext current = nullptr;
    return driver_.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context_;
  }
  // Calls the function, which returns the driver's code, while the context is current.
  template <class Function>
  std::unique_ptr<Failure> run(bool is_current, const Function& function) const {
    if (!is_current) driver_.cuCtxPushCurrent(context_);
    const CUresult code = function(driver_);
    CUcontext popped = nullptr;
    if (!is_current) driver_.cuCtxPopCurrent(&popped);
    return code == CUDA_SUCCESS ? nullptr
                                : std::make_unique<Failure>(failure_of(code, "launch the kernel", driver_));
  }

 private:
  const Driver& driver_;
  CUcontext context_;
};

class CudaLaunchProgram final : public LaunchProgram {
 public:
  CudaLaunchProgram(OwnContext context, CudaProgram program)
      : context_(context), program_(std::move(program)) {}

  std::unique_ptr<Failure> launch(void** values, void* stream) const override {
    bool is_captured = false;
    auto failure = context_.run(context_.is_current(), [&](const Driver& driver) {
      CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
      if (program_.may_wait()) driver.cuStreamIsCapturing(static_cast<CUstream>(stream), &status);
      is_captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
      return is_captured ? CUDA_SUCCESS : program_.run(driver, static_cast<CUstream>(stream), values);
    });
    if (!is_captured) return failure;
    return std::make_unique<Failure>(
        Failure{Status::machine_failed,  // and no reason to try another configuration
                "the stream is captured: a repeat with until waits for it after each round"});
  }

 private:
  OwnContext context_;
  CudaProgram program_;
};

// A program of one launch. A hot launch finds the processor's first cache full of the driver's data: it reads
// two lines of memory, those at the beginning.
class alignas(64) CudaPlainProgram final : public LaunchProgram {
 public:
  CudaPlainProgram(const Driver& driver, OwnContext context, CudaProgram program,
                   const CudaProgram::PlainLaunch& plain)
      : queue_(driver.cuLaunchKernelEx),
        function_(plain.function),
        config_(plain.config),
        context_(context),
        parameters_(plain.parameters),
        program_(std::move(program)) {}

  std::span<const PassedValue> values() const override { return parameters_; }

  [[gnu::hot]] std::unique_ptr<Failure> launch(void** values, void* stream) const override {
    CUlaunchConfig config = config_;
    config.hStream = static_cast<CUstream>(stream);
    // A stream belongs to a context, and the driver refuses a launch there while another is current. The
    // default streams are those of the current context.
    const bool names_context = reinterpret_cast<std::uintptr_t>(stream) > kLastDefaultStream;
    if (names_context && contexts_.load(std::memory_order_relaxed) == Contexts::own) [[likely]] {
      if (queue_(&config, function_, values, nullptr) == CUDA_SUCCESS) [[likely]] return nullptr;
    }
    return launch_in_own_context(config, values);
  }

 private:
  static constexpr std::uintptr_t kLastDefaultStream = 2;  // CU_STREAM_PER_THREAD
  // The contexts of threads that launched.
  enum class Contexts : unsigned char { unknown, own, others };

  // Also after a launch that was refused: it has queued nothing.
  [[gnu::noinline]] std::unique_ptr<Failure> launch_in_own_context(const CUlaunchConfig& config,
                                                                   void** values) const {
    const bool is_current = context_.is_current();
    const Contexts known = contexts_.load(std::memory_order_relaxed);
    if (!is_current && known != Contexts::others)
      contexts_.store(Contexts::others, std::memory_order_relaxed);
    if (is_current && known == Contexts::unknown) contexts_.store(Contexts::own, std::memory_order_relaxed);
    return context_.run(is_current,
                        [&](const Driver&) { return queue_(&config, function_, values, nullptr); });
  }

  decltype(Driver::cuLaunchKernelEx) queue_;
  CUfunction function_;
  CUlaunchConfig config_;
  mutable std::atomic<Contexts> contexts_{Contexts::unknown};
  OwnContext context_;
  std::span<const PassedValue> parameters_;
  CudaProgram program_;
};

class CudaLaunchDevice final : public LaunchDevice {
 public:
  // `retained`: the primary context of this device, which it releases.
  CudaLaunchDevice(const Driver& driver, CUdevice device, CUcontext context, bool retained, DeviceInfo info,
                   std::string cuda_home)
      : driver_(driver),
        device_(device),
        context_(context),
        is_retained_(retained),
        info_(std::move(info)),
        cuda_home_(std::move(cuda_home)) {}
  CudaLaunchDevice(const CudaLaunchDevice&) = delete;
  CudaLaunchDevice& operator=(const CudaLaunchDevice&) = delete;
  ~CudaLaunchDevice() override {
    modules_.clear();
    if (is_retained_ && is_alive()) driver_.cuDevicePrimaryCtxRelease(device_);
  }

  const DeviceInfo& info() const override { return info_; }
  BackendName backend() const override { return {"cuda", static_cast<int>(device_)}; }
  bool is_alive() const override {
    CUcontext popped = nullptr;
    return driver_.cuCtxPushCurrent(context_) == CUDA_SUCCESS &&
           driver_.cuCtxPopCurrent(&popped) == CUDA_SUCCESS;
  }

  // NVRTC is opened at the first call.
  Result<CompiledVariant> compile(const CompileJob& job) override {
    if (!compiler_) {
      compiler_ = GKTUNE_TRY(open_cuda_compiler({cuda_home_}));
    }
    return compiler_->compile(job).front();
  }

  Result<std::unique_ptr<LaunchProgram>, Failure> load(const LaunchCode& code, const Plan& plan) override {
    const ContextScope scope(driver_, context_);
    const auto gpu = Gpu::of_current_context(driver_, device_);
    const ProgramPlan launched = launched_as(code.module, plan.candidate);
    const std::string key = sharing_key(code, launched);
    std::shared_ptr<const CachedModule> cached;
    if (const auto known = modules_.find(key); !key.empty() && known != modules_.end()) cached = known->second;
    if (cached == nullptr) {
      CompiledModule file;
      if (code.bytes.empty()) {
        auto read = read_module(code.module.path);
        if (!read) return Failure{Status::machine_failed, read.error().message};
        file = *std::move(read);
      }
      auto loaded = gpu->load(code.bytes.empty() ? std::string_view(file.cubin) : code.bytes);
      if (auto failure = gpu->take_failure()) return *failure;
      cached =
          std::make_shared<const CachedModule>(code.module.path, std::move(loaded), std::move(file.kernels));
      if (!key.empty()) modules_[key] = cached;
    }
    auto program =
        GKTUNE_TRY(CudaProgram::bind(*gpu, std::move(cached), code.module, launched, plan.arguments));
    const OwnContext own(driver_, context_);
    if (const auto plain = program.plain_launch())
      return std::unique_ptr<LaunchProgram>(
          std::make_unique<CudaPlainProgram>(driver_, own, std::move(program), *plain));
    return std::unique_ptr<LaunchProgram>(std::make_unique<CudaLaunchProgram>(own, std::move(program)));
  }

  Result<std::shared_ptr<void>> allocate(std::size_t bytes) override {
    const ContextScope scope(driver_, context_);
    const auto gpu = Gpu::of_current_context(driver_, device_);
    const auto memory = std::make_shared<DeviceMemory>(gpu->allocate(bytes));
    if (auto failure = gpu->take_failure()) return Error{failure->message};
    return std::shared_ptr<void>(memory, reinterpret_cast<void*>(memory->get()));
  }

  Result<void> download(void* to, const void* from, std::size_t bytes) override {
    const ContextScope scope(driver_, context_);
    CUstream stream = nullptr;
    CUresult code = driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (code == CUDA_SUCCESS) {
      code = driver_.cuMemcpyDtoHAsync(to, reinterpret_cast<CUdeviceptr>(from), bytes, stream);
      if (code == CUDA_SUCCESS) code = driver_.cuStreamSynchronize(stream);
      driver_.cuStreamDestroy(stream);
    }
    if (code != CUDA_SUCCESS)
      return Error{gpu_error(driver_, "copy from the GPU", code), ErrorCode::failed, static_cast<int>(code)};
    return {};
  }

 private:
  // Problems with equal keys share a loaded module; an empty key is never shared. Launches that write
  // variables of the module need one of their own. Shared memory is a property of the module's functions,
  // so its amounts are in the key.
  static std::string sharing_key(const LaunchCode& code, const ProgramPlan& program) {
    if (!program.variables.empty() || !program.setup_once.empty() || !program.setup_each.empty()) return {};
    std::string key = code.bytes.empty()
                          ? code.module.path
                          : std::to_string(reinterpret_cast<std::uintptr_t>(code.bytes.data()));
    for (const StepPlan& step : program.steps) key += '\n' + std::to_string(step.shared_bytes);
    return key;
  }

  Driver driver_;
  CUdevice device_;
  CUcontext context_;
  bool is_retained_;
  // Captured launches may need them as long as the kernel lives.
  std::map<std::string, std::shared_ptr<const CachedModule>> modules_;
  DeviceInfo info_;
  std::string cuda_home_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace

Result<std::unique_ptr<LaunchDevice>> open_cuda_launch_device(int ordinal,
                                                              const LaunchDeviceSettings& settings) {
  const auto driver = Driver::open();
  if (!driver) return Error{driver.error().message, ErrorCode::no_device};
  CUcontext context = nullptr;
  CUdevice device = 0, current = -1;
  if (driver->cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr)
    driver->cuCtxGetDevice(&current);
  if (ordinal < 0 && context != nullptr) {
    device = current;
  } else if (const CUresult code = driver->cuDeviceGet(&device, std::max(0, ordinal)); code != CUDA_SUCCESS) {
    return Error{gpu_error(*driver, "find the GPU", code), ErrorCode::no_device, static_cast<int>(code)};
  }
  auto info = probe_gpu(*driver, static_cast<int>(device));
  if (!info) return Error{info.error().message, ErrorCode::no_device};
  const bool retains = context == nullptr || current != device;
  if (retains) {
    const CUresult code = driver->cuDevicePrimaryCtxRetain(&context, device);
    if (code != CUDA_SUCCESS)
      return Error{gpu_error(*driver, "make a context", code), ErrorCode::no_device, static_cast<int>(code)};
  }
  return std::unique_ptr<LaunchDevice>(std::make_unique<CudaLaunchDevice>(
      *driver, device, context, retains, *std::move(info), settings.cuda_home));
}

}  // namespace gktune
