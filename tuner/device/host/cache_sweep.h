#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gktune {

// Takes what the last run left in the caches out of them, by reading something else.
class CacheSweep {
 public:
  // A little more than the last cache holds, within reason.
  explicit CacheSweep(std::size_t cache_bytes);
  void run();

 private:
  std::vector<std::uint64_t> memory_;
  std::vector<int> cores_;
  std::uint64_t sum_ = 0;  // what was read is used, so that it is read
};

}  // namespace gktune
