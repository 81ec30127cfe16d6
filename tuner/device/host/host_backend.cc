#include "tuner/device/host/host_backend.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tuner/core/device_info.h"
#include "tuner/core/text.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/cores.h"

namespace gktune {
namespace fs = std::filesystem;
namespace {

// The smallest limit of a control group and its parents. In a container the group's own name may be
// invisible. Then its visible parents count.
std::uint64_t least_limit(const fs::path& hierarchy, const fs::path& group, const char* file_name) {
  std::uint64_t least = ~std::uint64_t{0};
  for (fs::path at = group;; at = at.parent_path()) {
    std::uint64_t limit = 0;
    if (std::ifstream(hierarchy / at.relative_path() / file_name) >> limit) least = std::min(least, limit);
    if (at == at.parent_path()) return least;
  }
}

}  // namespace

std::uint64_t usable_memory_bytes(const fs::path& root) {
  std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const fs::path groups = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  // "0::/a/b" of version 2, "4:memory:/a/b" of version 1
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) bytes = std::min(bytes, least_limit(groups, group, "memory.max"));
    if (controllers == "memory") {
      bytes = std::min(bytes, least_limit(groups / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return bytes;
}

std::uint64_t runner_share_bytes() { return usable_memory_bytes() / 2; }

namespace {

// The first value of this name in /proc/cpuinfo.
std::string cpuinfo(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == name)
      return std::string(trimmed(std::string_view(line).substr(colon + 1)));
  }
  return "";
}

// "32768K", "32M"
std::int64_t size_from(const std::string& text) {
  std::size_t end = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return 0;
  const auto number = static_cast<std::int64_t>(std::stoll(text, &end));
  const char unit = end < text.size() ? text[end] : ' ';
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : unit == 'G' ? number << 30 : number;
}

std::int64_t largest_cache_bytes() {
  std::int64_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size");
    std::string text;
    if (file >> text) largest = std::max(largest, size_from(text));
  }
  return largest;
}

// The machine's processor as a device. Its limits for kernels are those of a large GPU, so that a space is
// the same on both.
DeviceInfo cpu_info(const std::string& compiler_version) {
  utsname system{};
  ::uname(&system);
  const std::string model = cpuinfo("model name");
  DeviceInfo info;
  info.kind = "host";
  info.name = "CPU: " + (model.empty() ? std::string(system.machine) : model);
  info.architecture = system.machine;
  std::ranges::replace(info.architecture, '_', '-');
  info.multiprocessors = own_core_count();
  info.warp_size = 32;
  info.max_threads_per_block = 1024;
  info.max_block_x = info.max_block_y = 1024;
  info.max_block_z = 64;
  info.max_grid_x = 0x7fffffff;
  info.max_grid_y = info.max_grid_z = 65535;
  info.max_threads_per_multiprocessor = 2048;
  info.max_blocks_per_multiprocessor = 32;
  info.shared_bytes_per_block = 48 << 10;
  info.shared_bytes_per_block_optin = 227 << 10;
  info.shared_bytes_per_multiprocessor = 228 << 10;
  info.registers_per_block = info.registers_per_multiprocessor = 65536;
  info.constant_bytes = 64 << 10;
  info.l2_bytes = largest_cache_bytes();
  info.memory_bytes = static_cast<std::int64_t>(usable_memory_bytes());
  info.clock_khz = static_cast<std::int64_t>(std::strtod(cpuinfo("cpu MHz").c_str(), nullptr) * 1000);
  info.driver = std::string(system.sysname) + ' ' + system.release;
  info.compiler = compiler_version;
  return info;
}

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

// After the candidate's share each core's compiler gets an equal part of the rest,
// or the memory that it needs.
std::uint64_t compiler_share() {
  constexpr std::uint64_t kLeast = std::uint64_t{2} << 30;
  return std::max(kLeast, (usable_memory_bytes() - runner_share_bytes()) / own_core_count());
}

std::unique_ptr<ComputeDevice> make_host_device() {
  return gktune::make_host_device(static_cast<std::size_t>(largest_cache_bytes()));
}

Error no_compiler(const Error& why) { return Error{"the host device needs a C++ compiler: " + why.message}; }

class HostBackend final : public Backend {
 public:
  explicit HostBackend(BackendOptions options) : options_(std::move(options)) {}

  Result<DeviceInfo> probe() override {
    const auto version = HostCompiler::version(options_.cxx);
    if (!version) return no_compiler(version.error());
    return cpu_info(*version);
  }

  Result<DeviceInfo> identify() override { return cpu_info({}); }

  Result<std::unique_ptr<Compiler>> compiler() override {
    const auto version = HostCompiler::version(options_.cxx);
    if (!version) return no_compiler(version.error());
    return {with_commands(std::make_unique<HostCompiler>(options_.cxx, ToolkitPlaces{options_.cuda_home}))};
  }

  void limit_compile_worker() override { limit_memory(compiler_share()); }

  Result<std::unique_ptr<Runner>> runner() override {
    limit_memory(runner_share_bytes());
    // Binds each OpenMP thread to one core; the library reads this when it is loaded.
    ::setenv("OMP_PROC_BIND", "true", 0);
    return make_forking_runner(make_host_device());
  }

 private:
  BackendOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend(const BackendOptions& options) {
  return std::make_unique<HostBackend>(options);
}

std::unique_ptr<ComputeDevice> open_host_device() {
  auto device = make_host_device();
  print_faults();
  return device;
}

}  // namespace gktune
