#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gktune {

// Replaces the contents of the caches by reading other memory.
class CacheSweep {
 public:
  // Reads a little more than the last cache holds, within bounds.
  explicit CacheSweep(std::size_t cache_bytes);
  CacheSweep(const CacheSweep&) = delete;
  CacheSweep& operator=(const CacheSweep&) = delete;
  ~CacheSweep();
  void run();

 private:
  std::span<std::uint64_t> memory_;  // shared: a fork copies no tables for it
  std::vector<int> cores_;
  std::uint64_t sum_ = 0;  // keeps the compiler from removing the reads
};

}  // namespace gktune
