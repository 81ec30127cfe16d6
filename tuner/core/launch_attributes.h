#pragma once

#include <array>
#include <cstdint>

#include "tuner/core/fields.h"

namespace gktune {

// How a kernel is launched, besides its geometry. The fields have the names of the keys in space files, where
// a bool is a condition, a number a percentage, and an array up to three extents.
struct LaunchAttributes {
  std::array<std::int64_t, 3> cluster{1, 1, 1};  // blocks
  bool is_cooperative = false;                   // its blocks can wait for each other
  bool is_programmatic = false;                  // it may start before the launch in front of it has ended
  std::int64_t carveout_percent = -1;  // of the largest shared memory, preferred; -1: the driver decides

  std::int64_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  friend bool operator==(const LaunchAttributes&, const LaunchAttributes&) = default;
};

template <class Archive, Is<LaunchAttributes> S>
void fields(Archive&& archive, S& attributes) {
  archive("cluster", attributes.cluster);
  archive("cooperative", attributes.is_cooperative);
  archive("programmatic", attributes.is_programmatic);
  archive("carveout", attributes.carveout_percent);
}

}  // namespace gktune
