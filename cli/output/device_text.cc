#include "cli/output/device_text.h"

#include <fmt/format.h>

#include "cli/output/units.h"
#include "engine/devices.h"
#include "tuner/core/device_info.h"

namespace gktune {
namespace {

class Lines {
 public:
  void text(std::string name, std::string value) {
    if (!value.empty()) lines_.emplace_back(std::move(name), std::move(value));
  }
  void count(std::string name, std::int64_t value) {
    if (value > 0) text(std::move(name), format_count(value));
  }
  void bytes(std::string name, std::int64_t value) {
    if (value > 0) text(std::move(name), format_bytes(value));
  }
  void clock(std::string name, std::int64_t khz) {
    if (khz > 0) text(std::move(name), fmt::format("{:.0f} MHz", static_cast<double>(khz) / 1e3));
  }
  void extent(std::string name, std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x > 0)
      text(std::move(name), fmt::format("{} × {} × {}", format_count(x), format_count(y), format_count(z)));
  }
  std::vector<std::pair<std::string, std::string>> take() && { return std::move(lines_); }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// sm_90 is compute capability 9.0.
std::string compute_capability(const std::string& architecture) {
  if (!architecture.starts_with("sm_")) return {};
  std::string digits = architecture.substr(3, architecture.find_first_not_of("0123456789", 3) - 3);
  if (digits.size() < 2) return {};
  return digits.substr(0, digits.size() - 1) + '.' + digits.back();
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::vector<std::pair<std::string, std::string>> describe(const DeviceInfo& device) {
  const bool is_gpu = gktune::is_gpu(device.kind);
  Lines lines;
  lines.text("architecture", device.architecture);
  lines.text("compute capability", compute_capability(device.architecture));
  lines.count(is_gpu ? "multiprocessors" : "cores", device.multiprocessors);
  lines.clock("clock", device.clock_khz);
  lines.bytes("memory", device.memory_bytes);
  if (double bandwidth = peak_bandwidth_gbs(device); bandwidth > 0) {
    lines.text("memory bandwidth", fmt::format("{:.0f} GB/s", bandwidth));
  }
  lines.clock("memory clock", device.memory_clock_khz);
  if (device.memory_bus_bits > 0) lines.text("memory bus", fmt::format("{} bits", device.memory_bus_bits));
  lines.bytes(is_gpu ? "L2 cache" : "last cache", device.l2_bytes);
  lines.bytes("constant memory", device.constant_bytes);
  lines.bytes("shared memory per block", device.shared_bytes_per_block);
  lines.bytes("  with opt-in", device.shared_bytes_per_block_optin);
  lines.bytes("  per multiprocessor", device.shared_bytes_per_multiprocessor);
  lines.count("registers per block", device.registers_per_block);
  lines.count("  per multiprocessor", device.registers_per_multiprocessor);
  lines.count("warp size", device.warp_size);
  lines.count("threads per block", device.max_threads_per_block);
  lines.count("  per multiprocessor", device.max_threads_per_multiprocessor);
  lines.count("blocks per multiprocessor", device.max_blocks_per_multiprocessor);
  lines.extent("largest block", device.max_block_x, device.max_block_y, device.max_block_z);
  lines.extent("largest grid", device.max_grid_x, device.max_grid_y, device.max_grid_z);
  if (is_gpu) {
    lines.text("ECC", yes_or_no(device.ecc));
    lines.text("MIG", yes_or_no(device.mig));
  }
  lines.text(is_gpu ? "driver" : "system", device.driver);
  lines.text("CUDA", device.runtime);
  lines.text("compiler", device.compiler);
  return std::move(lines).take();
}

}  // namespace gktune
