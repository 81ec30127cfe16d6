#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gktune/result.h"
#include "tuner/core/plan_parts.h"
#include "tuner/device/cuda/driver/driver.h"
#include "tuner/device/failure.h"

namespace gktune {

// Whether a kernel of this process ran too long. Calls that release something would wait for it for ever:
// only the end of the process ends it.
inline std::atomic<bool> a_kernel_hangs = false;

// gktune's own kernels and copies take less than this on the largest problem.
inline constexpr double kOwnLimitS = 60;

// A handle of the driver with the function that releases it.
template <class Handle>
class Owned {
 public:
  using Release = CUresult (*)(Handle);
  Owned() = default;
  Owned(Handle handle, Release release) : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{} && !a_kernel_hangs) release_(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_{};
  Release release_ = nullptr;
};

using DeviceMemory = Owned<CUdeviceptr>;
using LoadedModule = Owned<CUmodule>;
using Event = Owned<CUevent>;
using Graph = Owned<CUgraphExec>;

// "ran longer than 2 s while it was timed". Only the end of the process ends such a kernel.
Failure ran_too_long(double limit_s, std::string_view when = {});

// Translates an error of the driver. `doing` names the operation; null where the code says enough.
Failure failure_of(CUresult code, const char* doing, const Driver& driver);

// Waits for the stream and says if the element at the address is not 0 then.
CUresult read_flag(const Driver& driver, CUstream stream, CUdeviceptr address, std::size_t bytes,
                   bool& is_set);

// A launch in the driver's words, with all its attributes.
class LaunchConfig {
 public:
  LaunchConfig() = default;
  explicit LaunchConfig(const LaunchShape& shape);

  // Queues the launch. The parameters are as for cuLaunchKernel.
  CUresult launch(const Driver& driver, CUfunction function, CUstream stream, void** parameters) const {
    CUlaunchConfig config = config_;
    config.hStream = stream;
    return driver.cuLaunchKernelEx(&config, function, parameters, nullptr);
  }
  // The driver's form of it. It refers to the attributes of this object.
  const CUlaunchConfig& config() const { return config_; }
  // The clusters of such a launch that the device runs at once; 0: none fits.
  int most_clusters(const Driver& driver, CUfunction function) const;

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);

  CUlaunchConfig config_ = {};  // without a stream
  // Made once: the configuration refers to them, also after a move.
  std::unique_ptr<CUlaunchAttribute[]> attributes_;
};

// One GPU with one stream of its own, until use_default_stream(). The first failure sticks: later calls do
// nothing until take_failure().
class Gpu {
 public:
  static Result<std::unique_ptr<Gpu>> open(const Driver& driver, int ordinal);

  // Works in the calling thread's context, which it does not own. It has no stream: only load and allocate.
  static std::unique_ptr<Gpu> of_current_context(const Driver& driver, CUdevice device) {
    std::unique_ptr<Gpu> gpu(new Gpu(driver));
    gpu->device_ = device;
    return gpu;
  }

  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  bool ok() const { return !failure_.has_value(); }
  // Clears the failure, so that later calls work again unless the context is lost.
  std::optional<Failure> take_failure() { return std::exchange(failure_, std::nullopt); }

  const Driver& driver() const { return driver_; }
  CUdevice device() const { return device_; }
  CUstream stream() const { return stream_.get(); }
  // From now on works in the context's default stream: it waits for what other code has put into any stream
  // but those that are made as non-blocking.
  void use_default_stream();
  // The default stream cannot be captured.
  bool can_capture() const { return stream_.get() != CU_STREAM_LEGACY; }

  std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    if (ok()) check(driver_.cuMemGetInfo(&free, &total), "ask for the free memory");
    return free;
  }

  DeviceMemory allocate(std::size_t size) {
    CUdeviceptr memory = 0;
    if (ok()) check(driver_.cuMemAlloc(&memory, std::max<std::size_t>(size, 1)), "allocate memory");
    return {memory, driver_.cuMemFree};
  }

  // The name of memory for other processes, which ends with that memory.
  CUipcMemHandle share(const DeviceMemory& memory) {
    CUipcMemHandle handle{};
    if (ok()) check(driver_.cuIpcGetMemHandle(&handle, memory.get()), "share memory between processes");
    return handle;
  }
  // Memory of another process.
  DeviceMemory open_shared(const CUipcMemHandle& handle) {
    CUdeviceptr memory = 0;
    if (ok())
      check(driver_.cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
            "open memory of another process");
    return {memory, driver_.cuIpcCloseMemHandle};
  }

  LoadedModule load(std::string_view code) {
    CUmodule module = nullptr;
    if (ok()) check(driver_.cuModuleLoadData(&module, code.data()), "load the compiled code");
    return {module, driver_.cuModuleUnload};
  }

  // Empty if the driver cannot use the code, which is no failure of the Gpu.
  std::optional<LoadedModule> try_load(std::string_view code) {
    CUmodule module = nullptr;
    if (!ok() || driver_.cuModuleLoadData(&module, code.data()) != CUDA_SUCCESS) return std::nullopt;
    return LoadedModule(module, driver_.cuModuleUnload);
  }

  CUfunction function(const LoadedModule& module, const std::string& symbol) {
    CUfunction function = nullptr;
    if (ok()) check(driver_.cuModuleGetFunction(&function, module.get(), symbol.c_str()), "find the kernel");
    return function;
  }

  CUdeviceptr variable(const LoadedModule& module, const std::string& symbol, std::size_t& bytes) {
    CUdeviceptr address = 0;
    if (ok())
      check(driver_.cuModuleGetGlobal(&address, &bytes, module.get(), symbol.c_str()), "find the variable");
    return address;
  }

  int attribute(CUfunction function, CUfunction_attribute which) {
    int value = 0;
    if (ok()) check(driver_.cuFuncGetAttribute(&value, which, function), "ask for the kernel's needs");
    return value;
  }

  // Queued in the stream. Host memory has to stay valid until the stream gets there.
  void upload(CUdeviceptr to, std::span<const std::byte> from) {
    if (!ok() || from.empty()) return;
    check(driver_.cuMemcpyHtoDAsync(to, from.data(), from.size(), stream_.get()), "copy to the GPU");
  }

  void download(std::span<std::byte> to, CUdeviceptr from) {
    if (!ok() || to.empty()) return;
    check(driver_.cuMemcpyDtoHAsync(to.data(), from, to.size(), stream_.get()), "copy from the GPU");
  }

  void copy(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
    if (!ok() || size == 0) return;
    check(driver_.cuMemcpyDtoDAsync(to, from, size, stream_.get()), "copy on the GPU");
  }

  void fill(CUdeviceptr to, unsigned char byte, std::size_t size) {
    if (!ok() || size == 0) return;
    check(driver_.cuMemsetD8Async(to, byte, size, stream_.get()), "fill memory");
  }

  void launch(CUfunction function, const LaunchShape& shape, void** arguments);

  Event event() {
    CUevent event = nullptr;
    if (ok()) check(driver_.cuEventCreate(&event, CU_EVENT_DEFAULT), "make an event");
    return {event, driver_.cuEventDestroy};
  }

  void record(const Event& event) {
    if (ok()) check(driver_.cuEventRecord(event.get(), stream_.get()), "record an event");
  }

  // Records the event behind the work of all streams of the context; before CUDA 12.5, of this stream only.
  void record_all(const Event& event) {
    if (driver_.record_in_context == nullptr) return record(event);
    if (ok()) check(driver_.record_in_context(context_, event.get()), "record an event");
  }
  // Makes later work in every stream of the context wait for the event; does nothing before CUDA 12.5.
  void hold_all(const Event& event) {
    if (ok() && driver_.wait_in_context != nullptr)
      check(driver_.wait_in_context(context_, event.get()), "have all streams wait");
  }

  // Both events must have happened.
  double elapsed_us(const Event& start, const Event& end) {
    float elapsed_ms = 0;
    if (ok())
      check(driver_.elapsed_time(&elapsed_ms, start.get(), end.get()), "read the time between events");
    return static_cast<double>(elapsed_ms) * 1e3;
  }

  // A graph of what `work` queues.
  Graph capture(const std::function<void()>& work);
  void launch(const Graph& graph);

  // Waits until the stream is empty. False: it is not within the limit.
  bool wait(double limit_s);
  // Waits until the event has happened.
  bool wait(const Event& event, double limit_s);
  // Waits for what is left in any stream. Returns the time that this took: 0 where nothing was left, nullopt
  // where the limit was too short.
  std::optional<double> rest_us(double limit_s);
  // Waits, and has the driver print what kernels printed, also those that failed. Costs more than wait().
  bool wait_and_print(double limit_s);

  // Keep the first failure. `doing` may be null where the code says enough.
  void check(CUresult code, const char* doing) {
    if (code == CUDA_SUCCESS || failure_) return;
    failure_ = failure_of(code, doing, driver_);
  }

  void fail(Failure failure) {
    if (!failure_) failure_ = std::move(failure);
  }

 private:
  explicit Gpu(Driver driver) : driver_(driver) {}

  bool poll(double limit_s, const std::function<CUresult()>& query);
  // Makes a call that waits in a thread of its own. Nullopt: it did not return within the limit.
  std::optional<CUresult> call_beside(double limit_s, std::function<CUresult(const Driver&)> call);

  Driver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  Owned<CUstream> stream_;
  std::optional<Failure> failure_;
};

}  // namespace gktune
