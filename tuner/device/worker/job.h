#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/trial.h"
#include "tuner/device/device.h"
#include "tuner/space/plan.h"

namespace gktune {

// Messages between the parent and its worker processes.

// Questions about the hardware: its description, the compiler of its host code, the number of devices.
enum class DeviceQuestion { probe, host_code_compiler, count };

// How code for the host device is instrumented.
enum class Instrumentation { none, sanitize };

// Sources to compile together. They share text, options and include directories,
// and differ in macros and entries.
struct CompileJob {
  std::vector<SourcePlan> variants;
  std::string architecture;  // of the device: sm_90a, x86-64
  std::string cache_dir;
  Instrumentation instrumentation = Instrumentation::none;
  std::string scratch_dir = {};  // for temporary files, on the same file system; empty: cache_dir
};

// Code that a runner can load.
struct Module {
  std::string path;                  // a shared object, a cubin
  std::vector<std::string> symbols;  // one per entry of its SourcePlan, in order
  // The process that loads it needs these variables, for example a sanitizer's LD_PRELOAD.
  std::vector<std::pair<std::string, std::string>> environment = {};
  friend bool operator==(const Module&, const Module&) = default;
};

struct CompiledVariant {
  Status status = Status::ok;  // ok, compile_failed, machine_failed, crashed
  std::string log;  // the compiler's messages about this variant, with the line numbers of the source
  Module module;
  double seconds = 0;  // this variant's share
  bool from_cache = false;
};

// The means to find accesses outside buffers, if the device has both: hardware, which ends the process at the
// access, or zones with a pattern, which show writes only, and their places.
enum class Guards { hardware, zones };

struct RunJob {
  Plan plan;
  Module candidate;
  Module reference;
  Module verifier;
  Cutoff cutoff;
  bool check_only = false;  // checked, not timed
  std::uint64_t seed = 0;   // of the order in which a check on the host runs blocks and threads
  Instrumentation instrumentation = Instrumentation::none;
  Guards guards = Guards::hardware;
};

// A Trial without its configuration and problem, which the parent knows.
struct RunReply {
  Status status = Status::ok;
  std::string message;
  Samples samples_us;
  Timing timing;
  Resources resources;
  Conditions conditions;
  bool is_dropped_early = false;
  double seconds = 0;
  std::string printed;          // by the candidate in its first execution, cut after a few KiB
  bool worker_is_lost = false;  // see Failure
  // Hardware guards ended it without a place. A check between guard zones may show the place.
  bool is_unexplained = false;
};

// References and verifiers are plain code: they may be so much slower than a candidate.
inline constexpr double kReferenceFactor = 20;
inline double reference_limit_s(const Plan& plan) { return kReferenceFactor * plan.time_limit_s; }

struct PlayoffJob {
  std::vector<RunJob> finalists;  // of one problem
  Rounds rounds;
};

}  // namespace gktune
