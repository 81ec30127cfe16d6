#include "tuner/device/host/host_backend.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tuner/device/host/cpu_info.h"
#include "tuner/device/host/host_compiler.h"
#include "tuner/device/host/host_runner.h"

namespace gktune {
namespace {

// This process and its children may have as much as the machine has: a runaway is to end by itself, not to
// take the machine with it.
void limit_memory() {
  const auto there_is =
      static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  rlim_t reserved_pages = 0;
  std::ifstream("/proc/self/statm") >> reserved_pages;
  // A sanitizer has reserved more than that already.
  if (reserved_pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) >= there_is) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_cur, there_is);
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

Result<DeviceInfo> HostBackend::probe() {
  const auto version = HostCompiler::version(options_.cxx);
  if (!version) return Error{"the host device needs a C++ compiler: " + version.error().message};
  return cpu_info(*version);
}

Result<std::unique_ptr<Compiler>> HostBackend::compiler() {
  limit_memory();
  return {std::make_unique<HostCompiler>(HostCompilerOptions{options_.cxx, {}})};
}

Result<std::unique_ptr<Runner>> HostBackend::runner() {
  limit_memory();
  return {std::make_unique<HostRunner>(static_cast<std::size_t>(cpu_info({}).l2_bytes))};
}

}  // namespace gktune
