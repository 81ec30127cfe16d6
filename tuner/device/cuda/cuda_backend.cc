#include "tuner/device/cuda/cuda_backend.h"

#include "tuner/device/cuda/compile/cuda_compiler.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/cuda/device_probe.h"
#include "tuner/device/cuda/driver/driver.h"
#include "tuner/device/cuda/driver/nvml.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/run/device_runner.h"

namespace gktune {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(int ordinal, const ToolkitPlaces& places) : ordinal_(ordinal), places_(places) {}

  Result<DeviceInfo> probe() override {
    const auto driver = Driver::open();
    if (!driver) return driver.error();
    auto info = probe_gpu(*driver, ordinal_);
    if (!info) return info;
    if (const auto nvrtc = Nvrtc::open(places_)) info->compiler = "NVRTC " + nvrtc->version();
    if (const auto nvml = Nvml::open(pci_bus_id(*driver, ordinal_))) info->driver = nvml->driver_version();
    return info;
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
  Result<std::unique_ptr<Compiler>> compiler() override {
    auto compiler = CudaCompiler::open(places_);
    if (!compiler) return compiler.error();
    return std::unique_ptr<Compiler>(std::move(*compiler));
  }
  Result<std::unique_ptr<Runner>> runner() override {
    auto device = CudaDevice::open(ordinal_, places_);
    if (!device) return device.error();
    return std::unique_ptr<Runner>(std::make_unique<DeviceRunner>(std::move(*device)));
  }

 private:
  int ordinal_;
  ToolkitPlaces places_;
};

}  // namespace

std::unique_ptr<Backend> open_cuda_backend(int ordinal, const ToolkitPlaces& places) {
  return std::make_unique<CudaBackend>(ordinal, places);
}

}  // namespace gktune
