#include "tuner/device/host/cache_sweep.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace gktune {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{16} << 20;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostThreads = 16;
constexpr std::size_t kWordsPerLine = 8;

std::vector<int> own_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

}  // namespace

CacheSweep::CacheSweep(std::size_t cache_bytes)
    : memory_(std::clamp(cache_bytes + cache_bytes / 4, kLeastBytes, kMostBytes) / sizeof(std::uint64_t), 1),
      cores_(own_cores()) {
  if (cores_.size() > kMostThreads) cores_.resize(kMostThreads);
}

// Each core reads all of it: its own caches are swept as well as the one that they share.
void CacheSweep::run() {
  std::atomic<std::uint64_t> total{0};
  const auto read = [&](std::size_t first) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < memory_.size(); i += kWordsPerLine)
      sum += memory_[(first + i) % memory_.size()];
    total += sum;
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    threads.emplace_back(read, i * memory_.size() / cores_.size());
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cores_[i], &set);
    ::pthread_setaffinity_np(threads.back().native_handle(), sizeof set, &set);
  }
  for (std::thread& thread : threads) thread.join();
  sum_ += total;
}

}  // namespace gktune
