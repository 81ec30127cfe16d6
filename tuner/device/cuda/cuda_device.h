#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_program.h"
#include "tuner/device/cuda/device_kernels.h"
#include "tuner/device/cuda/driver/nvml.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/measure/contents.h"

namespace gktune {

// Reading this many times the size of the last cache evicts all other data.
inline constexpr std::size_t kSweepFactor = 2;

class CudaDevice;
class GuardedMemory;

// True if this GPU can map memory at addresses of choice, which a mapped buffer needs.
bool can_guard_memory(Gpu& gpu);

// The buffers that these make have no memory until they are placed.
// A buffer at the end or the start of memory that ends at unmapped addresses.
std::unique_ptr<DeviceBuffer> make_mapped_buffer(CudaDevice& device, GuardPattern pattern);
// A buffer between two zones with a known pattern.
std::unique_ptr<DeviceBuffer> make_zoned_buffer(Gpu& gpu, GuardPattern pattern);
// The same in memory that outlives it, and has room for the zones too.
std::unique_ptr<DeviceBuffer> make_zoned_buffer(Gpu& gpu, GuardPattern pattern, CUdeviceptr memory,
                                                std::size_t capacity);

// One GPU of the CUDA driver. Inputs are made and outputs compared on the GPU.
class CudaDevice final : public ComputeDevice {
 public:
  static Result<std::unique_ptr<CudaDevice>> open(int ordinal, const ToolkitPlaces& places,
                                                  const std::string& cache_dir = {});

  const DeviceTraits& traits() const override { return traits_; }
  Result<std::uint64_t, Failure> free_bytes() override;
  Result<std::unique_ptr<DeviceBuffer>, Failure> allocate(std::size_t bytes, Placement placement,
                                                          Guards guards) override;
  Result<std::shared_ptr<const LoadedProgram>, Failure> load(
      const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments) override;
  Result<void, Failure> fill(DeviceBuffer& buffer, const ArgumentPlan& argument) override;
  void poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) override;
  void copy(DeviceBuffer& to, const DeviceBuffer& from) override;
  Result<void, Failure> download(std::span<std::byte> to, const DeviceBuffer& from) override;
  Result<std::uint64_t, Failure> digest(const DeviceBuffer& buffer) override;
  Result<std::vector<Verdict>, Failure> compare(std::span<const BufferPair> pairs) override;
  Result<std::optional<double>, Failure> run(const LoadedProgram& program,
                                             std::span<const ArgumentMemory> arguments,
                                             const LaunchOptions& options) override;
  std::size_t problems_at_once(const LoadedProgram& program, double execution_us, std::uint64_t bytes,
                               Regime regime) const override;
  Result<double, Failure> time_once(const std::shared_ptr<const LoadedProgram>& program,
                                    std::span<const ProblemMemory> problems,
                                    const OnceOptions& options) override;
  void prepare_caches(std::span<const ProblemMemory> problems, Regime regime) override;
  std::unique_ptr<Timer> timer(std::span<const ArgumentMemory> arguments) override;
  Result<std::unique_ptr<ApartProcess>, Failure> start_apart(const RunJob& job) override;
  // The program and arguments that start such a process.
  void set_apart_argv(std::vector<std::string> argv) { apart_argv_ = std::move(argv); }
  Conditions conditions() override;

  // Waits for all that is queued.
  Result<void, Failure> finish();
  Gpu& gpu() { return *gpu_; }
  DeviceKernels& kernels() { return *kernels_; }
  // Null: the management library cannot be used.
  const Nvml* nvml() const { return monitor_->nvml(); }
  // All its bytes are 0.
  std::shared_ptr<GuardedMemory> guarded_memory(std::size_t bytes);
  // Another buffer may get it if it has the smallest size. Null: nothing is kept.
  void keep_for_later(std::shared_ptr<GuardedMemory> memory);
  // Moves memory by less than its size; the ranges may overlap.
  void move(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
  // Evicts all other data from the caches.
  void sweep_caches();
  // Keeps a GPU that was idle busy for a while: its clock needs time to rise.
  void wake_up();
  void note_busy() { last_busy_ = std::chrono::steady_clock::now(); }

 private:
  explicit CudaDevice(std::unique_ptr<Gpu> gpu) : gpu_(std::move(gpu)), modules_(*gpu_) {}
  Result<Verdict, Failure> compare_sorted(const BufferPair& pair);
  // Writes an argument's contents in order.
  Result<void> upload_contents(const ArgumentPlan& argument, CUdeviceptr to, std::size_t bytes);
  std::size_t file_bytes() const;  // of the files that are kept on the GPU
  std::size_t bytes_for_later() const;
  // The elements of the argument's file, in order.
  Result<CUdeviceptr> file_copy(const ArgumentPlan& argument, std::size_t bytes);

  DeviceTraits traits_;
  GuardPattern next_pattern_ = 0;
  std::unique_ptr<Gpu> gpu_;
  std::optional<DeviceKernels> kernels_;
  std::unique_ptr<ConditionsMonitor> monitor_;
  double full_clock_mhz_ = 0;
  ModuleCache modules_;
  DeviceMemory sweep_buffer_;
  std::vector<std::shared_ptr<GuardedMemory>> for_later_;
  struct FileVersion {
    std::filesystem::path path;
    std::size_t bytes;
    std::filesystem::file_time_type time;
    auto operator<=>(const FileVersion&) const = default;
  };
  std::map<FileVersion, DeviceMemory> files_;
  std::size_t sweep_bytes_ = 0;
  std::vector<std::string> apart_argv_;
  std::optional<std::chrono::steady_clock::time_point> last_busy_;
};

}  // namespace gktune
