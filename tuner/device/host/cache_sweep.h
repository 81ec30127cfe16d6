#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gktune {

// Replaces the contents of the caches by reading other memory.
class CacheSweep {
 public:
  // Reads a little more than the last cache holds, within bounds.
  explicit CacheSweep(std::size_t cache_bytes);
  void run();

 private:
  std::vector<std::uint64_t> memory_;
  std::vector<int> cores_;
  std::uint64_t sum_ = 0;  // keeps the compiler from removing the reads
};

}  // namespace gktune
