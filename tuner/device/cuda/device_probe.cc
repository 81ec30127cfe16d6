#include "tuner/device/cuda/device_probe.h"

#include <array>
#include <string>

namespace gktune {

Result<DeviceInfo> probe_gpu(const Driver& driver, int ordinal) {
  int count = 0;
  if (const CUresult code = driver.cuDeviceGetCount(&count); code != CUDA_SUCCESS) {
    return Error{"cannot count the GPUs: " + driver.describe(code)};
  }
  if (ordinal < 0 || ordinal >= count) {
    return Error{"there is no GPU " + std::to_string(ordinal) + ": the driver knows " +
                 (count == 0   ? "none"
                  : count == 1 ? "one, GPU 0"
                               : "GPUs 0 to " + std::to_string(count - 1))};
  }
  CUdevice device = 0;
  std::array<char, 256> name{};
  std::size_t memory_bytes = 0;
  CUresult code = driver.cuDeviceGet(&device, ordinal);
  if (code == CUDA_SUCCESS)
    code = driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  if (code == CUDA_SUCCESS) code = driver.cuDeviceTotalMem(&memory_bytes, device);
  auto attribute = [&](CUdevice_attribute which) -> std::int64_t {
    int value = 0;
    if (code == CUDA_SUCCESS) code = driver.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  // Newer drivers may not answer these.
  auto optional_attribute = [&](CUdevice_attribute which) -> std::int64_t {
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
  };

  DeviceInfo info;
  info.kind = "cuda";
  info.name = name.data();
  info.architecture = "sm_" + std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
                      std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_block_x = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  info.max_block_y = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  info.max_block_z = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  info.max_grid_x = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  info.max_grid_y = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  info.max_grid_z = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  info.max_threads_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_blocks_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info.shared_bytes_per_block_optin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.shared_bytes_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info.registers_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.constant_bytes = attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  info.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info.memory_bytes = static_cast<std::int64_t>(memory_bytes);
  info.clock_khz = optional_attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  info.memory_clock_khz = optional_attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  info.memory_bus_bits = optional_attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  info.ecc = attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  info.mig = info.name.find(" MIG ") != std::string::npos;
  int version = 0;
  if (code == CUDA_SUCCESS) code = driver.cuDriverGetVersion(&version);
  if (code != CUDA_SUCCESS) {
    return Error{"cannot ask GPU " + std::to_string(ordinal) + " what it is: " + driver.describe(code)};
  }
  info.runtime = "CUDA " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
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

}  // namespace gktune
