#include "runtime/launch_device.h"

#include "engine/device_choice.h"

namespace gktune {

Result<std::unique_ptr<LaunchDevice>> open_launch_device(const LaunchDeviceSettings& settings) {
  const auto choice = parse_device(settings.device);
  if (!choice) return choice.error();
  using Kind = DeviceChoice::Kind;
  const bool is_one = choice->extent == DeviceChoice::Extent::one;
  if (!is_one ||
      (choice->kind != Kind::automatic && choice->kind != Kind::host && choice->kind != Kind::gpu)) {
    return Error{"a kernel launches on one device: auto, host, cuda or cuda:N, not " + settings.device};
  }
#ifdef GKTUNE_WITH_CUDA
  if (choice->kind != Kind::host) {
    auto gpu = open_cuda_launch_device(choice->ordinal.value_or(-1), settings);
    if (gpu || choice->kind == Kind::gpu) return gpu;
  }
#else
  if (choice->kind == Kind::gpu) return Error{"this gktune was built without CUDA"};
#endif
  return open_host_launch_device(settings);
}

}  // namespace gktune
