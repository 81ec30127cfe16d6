#include "engine/peaks.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gktune {
namespace {

// Cores for 32-bit numbers in a multiprocessor, from the CUDA programming guide's
// table of arithmetic throughput.
int cores_of(std::string_view architecture) {
  constexpr std::array<std::pair<std::string_view, int>, 14> kCores = {{{"sm_50", 128},
                                                                        {"sm_52", 128},
                                                                        {"sm_60", 64},
                                                                        {"sm_61", 128},
                                                                        {"sm_70", 64},
                                                                        {"sm_75", 64},
                                                                        {"sm_80", 64},
                                                                        {"sm_86", 128},
                                                                        {"sm_87", 128},
                                                                        {"sm_89", 128},
                                                                        {"sm_90", 128},
                                                                        {"sm_100", 128},
                                                                        {"sm_103", 128},
                                                                        {"sm_120", 128}}};
  const auto found = std::ranges::find(kCores, architecture, &decltype(kCores)::value_type::first);
  return found == kCores.end() ? 0 : found->second;
}

struct Unit {
  std::string_view name;
  PeakShare::Kind kind;
  double factor;  // of GB/s or GFLOP/s
};
using enum PeakShare::Kind;
constexpr Unit kUnits[] = {
    {"MB/s", bandwidth, 1e-3},
    {"GB/s", bandwidth, 1},
    {"TB/s", bandwidth, 1e3},
    {"MiB/s", bandwidth, 1.048576e-3},
    {"GiB/s", bandwidth, 1.073741824},
    {"TiB/s", bandwidth, 1099.511627776},
    {"MFLOP/s", compute, 1e-3},
    {"GFLOP/s", compute, 1},
    {"TFLOP/s", compute, 1e3},
    {"MFLOPS", compute, 1e-3},
    {"GFLOPS", compute, 1},
    {"TFLOPS", compute, 1e3},
};

}  // namespace

double peak_bandwidth_gbs(const DeviceInfo& device) {
  // Two transfers per cycle.
  return 2.0 * static_cast<double>(device.memory_clock_khz) * static_cast<double>(device.memory_bus_bits) /
         8 / 1e6;
}

double peak_compute_gflops(const DeviceInfo& device) {
  return 2.0 * cores_of(device.architecture) * static_cast<double>(device.multiprocessors) *
         static_cast<double>(device.clock_khz) / 1e6;
}

std::vector<PeakShare> peak_shares(const NamedValues& metrics, const DeviceInfo& device) {
  std::vector<PeakShare> shares;
  for (const auto& [name, value] : metrics) {
    const auto unit = std::ranges::find(kUnits, std::string_view(name), &Unit::name);
    if (unit == std::end(kUnits) || !value.is_number()) continue;
    const double peak = unit->kind == bandwidth ? peak_bandwidth_gbs(device) : peak_compute_gflops(device);
    if (peak > 0)
      shares.push_back({name, value.number() * unit->factor / peak, peak / unit->factor, unit->kind});
  }
  return shares;
}

}  // namespace gktune
