#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/device/failure.h"
#include "tuner/device/run/passed_values.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// Loaded code with its steps. Several threads may launch it.
class LaunchProgram {
 public:
  virtual ~LaunchProgram() = default;
  // The values that launch() expects, in their order. If empty, it expects all
  // arguments of the plan in their order.
  virtual std::span<const PassedValue> values() const { return {}; }
  // values[i] points to the i-th value, as for cuLaunchKernel. Null: it is queued.
  virtual std::unique_ptr<Failure> launch(void** values, void* stream) const = 0;
};

// Code to load: a file of a compiler, or bytes that stay as they are while the program lives.
struct LaunchCode {
  Module module;           // its path is empty if the bytes are there
  std::string_view bytes;
};

// Launches in the application's own process. One thread at a time compiles, and one loads.
class LaunchDevice {
 public:
  virtual ~LaunchDevice() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual BackendName backend() const = 0;
  // False after the end of CUDA or of the context: destroy nothing then.
  virtual bool is_alive() const { return true; }

  virtual Result<CompiledVariant> compile(const CompileJob& job) = 0;
  virtual Result<std::unique_ptr<LaunchProgram>, Failure> load(const LaunchCode& code, const Plan& plan) = 0;
  // The memory is released with the last pointer to it.
  virtual Result<std::shared_ptr<void>> allocate(std::size_t bytes) = 0;
  // Waits for the copy, in a stream of its own.
  virtual Result<void> download(void* to, const void* from, std::size_t bytes) = 0;
};

struct LaunchDeviceSettings {
  std::string device = "auto";
  std::string cxx = "c++";  // empty: nothing will be compiled
  std::string cuda_home;
};

// A folder for temporary files, which is removed with the last pointer to it.
using TemporaryFolder = std::shared_ptr<const std::filesystem::path>;
Result<TemporaryFolder> temporary_folder();

Result<std::unique_ptr<LaunchDevice>> open_launch_device(const LaunchDeviceSettings& settings);
// A negative ordinal means the GPU of the current context, else the first one.
Result<std::unique_ptr<LaunchDevice>> open_cuda_launch_device(int ordinal,
                                                              const LaunchDeviceSettings& settings);

}  // namespace gktune
