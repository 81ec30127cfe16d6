#include "tuner/device/host/cache_sweep.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "tuner/device/worker/cores.h"

namespace gktune {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{16} << 20;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostThreads = 16;
constexpr std::size_t kWordsPerLine = 8;

}  // namespace

CacheSweep::CacheSweep(std::size_t cache_bytes) : cores_(own_cores()) {
  const std::size_t bytes = std::clamp(cache_bytes + cache_bytes / 4, kLeastBytes, kMostBytes);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = {static_cast<std::uint64_t*>(memory), bytes / sizeof(std::uint64_t)};
  std::ranges::fill(memory_, 1);
  if (cores_.empty()) cores_ = {0};
  if (cores_.size() > kMostThreads) cores_.resize(kMostThreads);
}

CacheSweep::~CacheSweep() { ::munmap(memory_.data(), memory_.size_bytes()); }

// Each core reads all of it, to sweep its own caches as well as the shared one.
void CacheSweep::run() {
  std::atomic<std::uint64_t> total{0};
  const auto read = [&](int core, std::size_t first) {
    keep_to(core);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < memory_.size(); i += kWordsPerLine)
      sum += memory_[(first + i) % memory_.size()];
    total += sum;
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    threads.emplace_back(read, cores_[i], i * memory_.size() / cores_.size());
  }
  for (std::thread& thread : threads) thread.join();
  sum_ += total;
}

}  // namespace gktune
