#include "tuner/device/host/host_backend.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "tuner/device/host/cpu_info.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/host_device.h"
#include "tuner/device/host/usable_memory.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/cores.h"

namespace gktune {
namespace {

// Limits the memory of this process and of each child, so that a runaway candidate ends alone.
void limit_memory(std::uint64_t bytes) {
  std::uint64_t reserved_pages = 0;
  std::ifstream("/proc/self/statm") >> reserved_pages;
  // A sanitizer has already reserved more.
  if (reserved_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >= bytes) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  ::setrlimit(RLIMIT_AS, &limit);
}

// The candidate's share is taken; each core's compiler gets an equal part of the rest, or what it needs.
std::uint64_t compiler_share() {
  constexpr std::uint64_t kLeast = std::uint64_t{2} << 30;
  return std::max(kLeast, (usable_memory_bytes() - runner_share_bytes()) / own_core_count());
}

}  // namespace

Result<DeviceInfo> HostBackend::probe() {
  const auto version = HostCompiler::version(options_.cxx);
  if (!version) return Error{"the host device needs a C++ compiler: " + version.error().message};
  return cpu_info(*version);
}

Result<std::unique_ptr<Compiler>> HostBackend::compiler() {
  limit_memory(compiler_share());
  return {std::make_unique<HostCompiler>(options_.cxx)};
}

Result<std::unique_ptr<Runner>> HostBackend::runner() {
  limit_memory(runner_share_bytes());
  return {std::make_unique<DeviceRunner>(
      std::make_unique<HostDevice>(static_cast<std::size_t>(cpu_info({}).l2_bytes)))};
}

}  // namespace gktune
