#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/named_values.h"

namespace gktune {

// In GB/s, from the memory's clock and bus; 0 if these are unknown.
double peak_bandwidth_gbs(const DeviceInfo& device);
// In GFLOP/s: additions and multiplications of 32-bit numbers, two for each core and cycle, without tensor
// cores; 0 if the architecture or its clock is unknown.
double peak_compute_gflops(const DeviceInfo& device);

// A metric that can be compared with what the device can do at most.
struct PeakShare {
  std::string metric;
  double share = 0;  // of the peak, of 1; caches and tensor cores may exceed it
  double peak = 0;   // in the metric's unit
  enum class Kind { bandwidth, compute } kind = Kind::bandwidth;
};
// Considers the metrics whose names are units of bandwidth (GB/s, TiB/s, …) or of compute (GFLOP/s, TFLOPS, …).
std::vector<PeakShare> peak_shares(const NamedValues& metrics, const DeviceInfo& device);

}  // namespace gktune
