#pragma once

#include <string>

#include "bench/variants.h"

namespace gktune {

struct CompileCost {
  double wall_ms = 0, processor_ms = 0;  // of a variant
};

// The first `count` variants, compiled by so many processes, so many variants at a time. The caller must not
// have touched CUDA: it is forked.
CompileCost compile_in_processes(const Variants& variants, std::size_t count, int processes,
                                 std::size_t batch, const std::string& cache_dir);

// The same by NVRTC as it comes: one process, one variant after the other, all of the source.
CompileCost compile_serially(const Variants& variants, std::size_t count);

// Processes that compile without end while they are let.
class BusyCompilers {
 public:
  // They stand still until start().
  BusyCompilers(const Variants& variants, int processes, std::size_t batch);
  BusyCompilers(const BusyCompilers&) = delete;
  BusyCompilers& operator=(const BusyCompilers&) = delete;
  ~BusyCompilers();
  void start();
  void stop();

 private:
  std::vector<int> processes_;
};

// A folder for compiled code, gone with this.
class ScratchCache {
 public:
  ScratchCache();
  ScratchCache(const ScratchCache&) = delete;
  ScratchCache& operator=(const ScratchCache&) = delete;
  ~ScratchCache();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gktune
