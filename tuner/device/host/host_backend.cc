#include "tuner/device/host/host_backend.h"

#include "tuner/device/host/cpu_info.h"
#include "tuner/device/host/host_compiler.h"
#include "tuner/device/host/host_runner.h"

namespace gktune {

Result<DeviceInfo> HostBackend::probe() {
  const auto version = HostCompiler::version(options_.cxx);
  if (!version) return Error{"the host device needs a C++ compiler: " + version.error().message};
  return cpu_info(*version);
}

Result<std::unique_ptr<Compiler>> HostBackend::compiler() {
  return {std::make_unique<HostCompiler>(HostCompilerOptions{options_.cxx, {}})};
}

Result<std::unique_ptr<Runner>> HostBackend::runner() {
  return {std::make_unique<HostRunner>(static_cast<std::size_t>(cpu_info({}).l2_bytes))};
}

}  // namespace gktune
