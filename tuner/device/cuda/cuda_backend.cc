#include "tuner/device/cuda/cuda_backend.h"

#include <future>
#include <utility>

#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/cuda/compile/toolkit_backend.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/cuda/device_probe.h"
#include "tuner/device/cuda/driver/driver.h"
#include "tuner/device/cuda/driver/nvml.h"
#include "tuner/device/run/device_runner.h"

namespace gktune {
namespace {

class CudaBackend : public ToolkitBackend {
 public:
  CudaBackend(int ordinal, const ToolkitPlaces& places, std::string cache_dir)
      : ToolkitBackend(places), ordinal_(ordinal), cache_dir_(std::move(cache_dir)) {}

  Result<DeviceInfo> probe() override {
    auto compiler = std::async(std::launch::async, [this]() -> std::string {
      const auto nvrtc = Nvrtc::open(places());
      return nvrtc ? "NVRTC " + nvrtc->version() : std::string();
    });
    auto version = std::async(std::launch::async, []() -> std::string {
      const auto nvml = Nvml::open({});
      return nvml ? nvml->driver_version() : std::string();
    });
    auto info = identify();
    if (!info) return info;
    info->compiler = compiler.get();
    info->driver = version.get();
    return info;
  }
  Result<DeviceInfo> identify() override {
    const auto driver = Driver::open();
    if (!driver) return driver.error();
    return probe_gpu(*driver, ordinal_);
  }
  Result<int> count() override {
    const auto driver = Driver::open();
    if (!driver) return driver.error();
    int count = 0;
    if (const CUresult code = driver->cuDeviceGetCount(&count); code != CUDA_SUCCESS) {
      return Error{"cannot count the GPUs: " + driver->describe(code)};
    }
    return count;
  }
  Result<std::unique_ptr<Runner>> runner() override {
    auto device = CudaDevice::open(ordinal_, places(), cache_dir_);
    if (!device) return device.error();
    return std::unique_ptr<Runner>(std::make_unique<DeviceRunner>(std::move(*device)));
  }

 private:
  int ordinal_;
  std::string cache_dir_;
};

}  // namespace

std::unique_ptr<Backend> open_cuda_backend(int ordinal, const ToolkitPlaces& places, std::string cache_dir) {
  return std::make_unique<CudaBackend>(ordinal, places, std::move(cache_dir));
}

}  // namespace gktune
