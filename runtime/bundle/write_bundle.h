#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "db/identity.h"
#include "gktune/result.h"
#include "tuner/space/definition.h"

namespace gktune {

struct BundleRequest {
  std::vector<std::string> space_files;
  std::vector<std::filesystem::path> databases;  // of equally good winners, those of the first count
  // Only for devices of these architectures: sm_90, x86-64. Empty: for all that have winners.
  std::vector<std::string> architectures = {};
  UnsafeOptions unsafe_options = UnsafeOptions::refused;
  std::string cxx = "c++";               // the system's C++ compiler, for winners of the host
  std::string cuda_home = {};            // the CUDA toolkit's folder; empty: the usual places
  std::filesystem::path cache_dir = {};  // compiled code is found there and kept; empty: it is not kept
  // Told of each configuration that is left out, and why. May be empty.
  std::function<void(const std::string&)> on_notice = {};
};

// The contents of a bundle for one kernel and one kind of device.
struct BundledKernel {
  std::string kernel, kind;
  std::vector<std::string> architectures;
  std::size_t winners = 0, variants = 0;  // answers, and pieces of code
};

// A winner or a portfolio that was bundled although something has changed since it was measured or made.
struct StaleAnswer {
  Study study;  // of a portfolio without a problem
  std::vector<std::string> changes;
};

struct BundleSummary {
  std::vector<BundledKernel> kernels;
  std::vector<StaleAnswer> stale;
  std::size_t bytes = 0;
};

// Compiles the winners of the databases that belong to these sources, the configurations for all problems and
// the defaults, and writes them to a file for Bundle::open(). An error if a kernel has no winner to compile.
Result<BundleSummary> write_bundle(const std::filesystem::path& path, const BundleRequest& request);

}  // namespace gktune
