#include "tuner/device/cuda/cuda_backend.h"

#include <array>
#include <future>
#include <string>
#include <utility>

#include "tuner/device/cuda/apart_process.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/cuda/driver/driver.h"
#include "tuner/device/cuda/driver/nvml.h"
#include "tuner/device/run/device_runner.h"

namespace gktune {

namespace {

struct AttributeOfInfo {
  CUdevice_attribute attribute;
  std::int64_t DeviceInfo::*member;
};
constexpr AttributeOfInfo kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &DeviceInfo::multiprocessors},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &DeviceInfo::warp_size},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &DeviceInfo::max_threads_per_block},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &DeviceInfo::max_block_x},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &DeviceInfo::max_block_y},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &DeviceInfo::max_block_z},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &DeviceInfo::max_grid_x},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &DeviceInfo::max_grid_y},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &DeviceInfo::max_grid_z},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &DeviceInfo::max_threads_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, &DeviceInfo::max_blocks_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &DeviceInfo::shared_bytes_per_block},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &DeviceInfo::shared_bytes_per_block_optin},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &DeviceInfo::shared_bytes_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &DeviceInfo::registers_per_block},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &DeviceInfo::registers_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &DeviceInfo::constant_bytes},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &DeviceInfo::l2_bytes},
};
// Newer drivers may not answer these.
constexpr AttributeOfInfo kOptionalAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &DeviceInfo::clock_khz},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &DeviceInfo::memory_clock_khz},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &DeviceInfo::memory_bus_bits},
};

// Asks for all that DeviceInfo holds. Returns the driver's first error.
CUresult describe_gpu(const Driver& driver, int ordinal, DeviceInfo& info) {
  CUdevice device = 0;
  std::array<char, 256> name{};
  std::size_t memory_bytes = 0;
  CUresult code = driver.cuDeviceGet(&device, ordinal);
  if (code == CUDA_SUCCESS)
    code = driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  if (code == CUDA_SUCCESS) code = driver.cuDeviceTotalMem(&memory_bytes, device);
  const auto ask = [&](CUdevice_attribute which) {
    int value = 0;
    if (code == CUDA_SUCCESS) code = driver.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  info.kind = "cuda";
  info.name = name.data();
  info.mig = info.name.find(" MIG ") != std::string::npos;
  info.memory_bytes = static_cast<std::int64_t>(memory_bytes);
  info.architecture = "sm_" + std::to_string(ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
                      std::to_string(ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.ecc = ask(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  for (const auto& [attribute, member] : kAttributes) info.*member = ask(attribute);
  for (const auto& [attribute, member] : kOptionalAttributes) {
    int value = 0;
    if (driver.cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS) info.*member = value;
  }
  int version = 0;
  if (code == CUDA_SUCCESS) code = driver.cuDriverGetVersion(&version);
  info.runtime = "CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
  return code;
}

Result<int> count_gpus(const Driver& driver) {
  int count = 0;
  if (const CUresult code = driver.cuDeviceGetCount(&count); code != CUDA_SUCCESS)
    return Error{"cannot count the GPUs: " + driver.describe(code)};
  return count;
}

}  // namespace

Result<DeviceInfo> probe_gpu(const Driver& driver, int ordinal) {
  const auto count = GKTUNE_TRY(count_gpus(driver));
  if (ordinal < 0 || ordinal >= count) {
    return Error{"there is no GPU " + std::to_string(ordinal) + ": the driver knows " +
                 (count == 0   ? "none"
                  : count == 1 ? "one, GPU 0"
                               : "GPUs 0 to " + std::to_string(count - 1))};
  }
  DeviceInfo info;
  if (const CUresult code = describe_gpu(driver, ordinal, info); code != CUDA_SUCCESS)
    return Error{"cannot ask GPU " + std::to_string(ordinal) + " what it is: " + driver.describe(code)};
  return info;
}

std::string pci_bus_id(const Driver& driver, int ordinal) {
  CUdevice device = 0;
  std::array<char, 64> text{};
  if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) return {};
  if (driver.cuDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()) - 1, device) != CUDA_SUCCESS)
    return {};
  return text.data();
}

namespace {

class CudaBackend : public ToolkitBackend {
 public:
  CudaBackend(int ordinal, BackendOptions options)
      : ToolkitBackend({options.cuda_home}), ordinal_(ordinal), options_(std::move(options)) {}

  Result<DeviceInfo> probe() override {
    auto compiler = std::async(std::launch::async, [this]() -> std::string {
      const auto nvrtc = Nvrtc::open(places());
      return nvrtc ? "NVRTC " + nvrtc->version() : std::string();
    });
    auto version = std::async(std::launch::async, []() -> std::string {
      const auto nvml = Nvml::open({});
      return nvml ? (*nvml)->driver_version() : std::string();
    });
    auto info = GKTUNE_TRY(identify());
    info.compiler = compiler.get();
    info.driver = version.get();
    return info;
  }
  Result<DeviceInfo> identify() override {
    const auto driver = GKTUNE_TRY(Driver::open());
    return probe_gpu(driver, ordinal_);
  }
  Result<int> count() override {
    const auto driver = GKTUNE_TRY(Driver::open());
    return count_gpus(driver);
  }
  Result<std::unique_ptr<Runner>> runner() override {
    auto device = GKTUNE_TRY(open());
    device->set_apart_argv(options_.apart_argv);
    return std::unique_ptr<Runner>(std::make_unique<DeviceRunner>(std::move(device)));
  }
  int execute_apart() override {
    return serve_apart([this] { return open(); }, options_.confine);
  }

 private:
  Result<std::unique_ptr<CudaDevice>> open() {
    return CudaDevice::open(ordinal_, places(), options_.cache_dir);
  }

  int ordinal_;
  BackendOptions options_;
};

}  // namespace

std::unique_ptr<Backend> open_cuda_backend(int ordinal, BackendOptions options) {
  return std::make_unique<CudaBackend>(ordinal, std::move(options));
}

Result<std::unique_ptr<ComputeDevice>> open_cuda_device(int ordinal, const ToolkitPlaces& places,
                                                        const std::string& cache_dir) {
  auto device = GKTUNE_TRY(CudaDevice::open(ordinal, places, cache_dir));
  return std::unique_ptr<ComputeDevice>(std::move(device));
}

}  // namespace gktune
