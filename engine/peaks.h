#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/named_values.h"

namespace gktune {

// The memory bandwidth in GB/s, computed from clock and bus width; 0 if one of them is unknown.
double peak_bandwidth_gbs(const DeviceInfo& device);
// The compute peak in GFLOP/s: two operations on 32-bit floats for each core and cycle, without tensor cores;
// 0 if the architecture or its clock is unknown.
double peak_compute_gflops(const DeviceInfo& device);

// A metric as a share of the device's peak.
struct PeakShare {
  std::string metric;
  double share = 0;  // 1 is the peak; caches and tensor cores may exceed it
  double peak = 0;   // in the metric's unit
  enum class Kind { bandwidth, compute } kind = Kind::bandwidth;
};
// Reads metrics whose names are units of bandwidth (GB/s, TiB/s, …) or compute
// (GFLOP/s, TFLOPS, …); ignores others.
std::vector<PeakShare> peak_shares(const NamedValues& metrics, const DeviceInfo& device);

}  // namespace gktune
