#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/cuda/driver.h"

namespace gktune {

// A handle of the driver's, with the function that ends it.
template <class Handle>
class Owned {
 public:
  using End = CUresult (*)(Handle);
  Owned() = default;
  Owned(Handle handle, End end) : handle_(handle), end_(end) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})), end_(other.end_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) end_(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_{};
  End end_ = nullptr;
};

using DeviceMemory = Owned<CUdeviceptr>;
using LoadedModule = Owned<CUmodule>;
using Event = Owned<CUevent>;
using Graph = Owned<CUgraphExec>;

// A call of the driver's that did not go well.
struct GpuFailure {
  CUresult code = CUDA_SUCCESS;
  std::string message;

  Status status() const;
  // Nothing works any more in this process: only its end clears it.
  bool context_is_lost() const;
};

// Where a kernel is launched.
struct LaunchShape {
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  unsigned shared_bytes = 0;
};

// One GPU with a stream of work on it. The first failure sticks: each call after it does nothing, and whoever
// asked for a piece of work asks at its end how it went.
class Gpu {
 public:
  static Result<std::unique_ptr<Gpu>> open(int ordinal);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  bool ok() const { return !failure_.has_value(); }
  // Takes what failed, so that what follows can work again, if the context is not lost.
  std::optional<GpuFailure> take_failure() { return std::exchange(failure_, std::nullopt); }

  const Driver& driver() const { return driver_; }
  CUdevice device() const { return device_; }
  CUstream stream() const { return stream_.get(); }
  std::size_t free_bytes();

  DeviceMemory allocate(std::size_t size);
  LoadedModule load(const std::string& cubin);
  CUfunction function(const LoadedModule& module, const std::string& symbol);
  int attribute(CUfunction function, CUfunction_attribute which);

  // In the order of the stream; what they read on the host must stay until then.
  void upload(CUdeviceptr to, std::span<const std::byte> from);
  void download(std::span<std::byte> to, CUdeviceptr from);
  void copy(CUdeviceptr to, CUdeviceptr from, std::size_t size);
  void fill(CUdeviceptr to, unsigned char byte, std::size_t size);
  void launch(CUfunction function, const LaunchShape& shape, void** arguments);

  Event event();
  void record(const Event& event);
  // Asks for both to have happened.
  double elapsed_us(const Event& start, const Event& end);

  // What `work` puts into the stream, to be repeated.
  Graph capture(const std::function<void()>& work);
  void launch(const Graph& graph);

  // Waits until the stream has done it all. False: it has not within the limit.
  bool wait(double limit_s);

  // Notes a failure of a call to the driver; `doing` may be null where the code says it all.
  void check(CUresult code, const char* doing);

 private:
  explicit Gpu(Driver driver) : driver_(driver) {}

  Driver driver_;
  CUdevice device_ = 0;
  bool has_context_ = false;
  Owned<CUstream> stream_;
  std::optional<GpuFailure> failure_;
};

}  // namespace gktune
