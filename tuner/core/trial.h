#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/named_values.h"

namespace gktune {

// How a trial ended. All but ok and the last two are failures of the configuration.
enum class Status {
  ok,
  invalid,  // its launch cannot be formed: an expression failed, an empty block
  compile_failed,
  compile_timed_out,
  launch_failed,  // refused by the device: resources, geometry
  out_of_memory,
  wrong_result,
  guard_violated,  // wrote outside its buffers
  input_changed,   // wrote into an input
  illegal_access,  // a bad address, read or written
  misaligned_access,
  aborted,             // assert, trap, abort
  barrier_divergence,  // a barrier that some threads miss; a shuffle from a missing lane
  data_race,
  undefined_behavior,  // for example a read of uninitialized memory, or a shift by too many bits
  crashed,             // any other crash
  timed_out,
  reference_failed,  // the reference does not compile, launch or run, or leaves outputs unwritten
  machine_failed,    // the trial never ran and says nothing about the configuration
};
inline constexpr Status kLastStatus = Status::machine_failed;
// True if the failure is not the configuration's: others of the problem would fail too. Do not store it.
constexpr bool ends_problem(Status status) {
  return status == Status::reference_failed || status == Status::machine_failed;
}
std::string_view status_name(Status status);
std::optional<Status> status_from_name(std::string_view name);

// State of the caches when a launch begins.
enum class Regime { cold, hot };
std::string_view regime_name(Regime regime);
std::optional<Regime> regime_from_name(std::string_view name);

// Times of single executions, in microseconds, in the order they were taken.
using Samples = std::vector<double>;

// Summary of the samples.
struct Timing {
  double median_us = 0;
  double low_us = 0, high_us = 0;  // the 95 % confidence interval of the median
  double min_us = 0;
  double mean_us = 0;
  double deviation_us = 0;
};

// Resources that a configuration's kernel uses; -1 if unknown.
struct Resources {
  int registers = -1;
  std::int64_t spill_bytes = -1;
  std::int64_t static_shared_bytes = -1;
  std::int64_t dynamic_shared_bytes = -1;
  double occupancy = -1;  // of 1
  std::array<std::int64_t, 3> grid{0, 0, 0};
  std::array<std::int64_t, 3> block{0, 0, 0};
};

// Readings of the card around the timed runs; negative if it has no such reading.
struct Conditions {
  double clock_mhz = -1;
  double temperature_c = -1;
  double power_w = -1;
  double energy_j = -1;  // of one execution
  bool throttled = false;
};

// One configuration, tried on one problem.
struct Trial {
  Config config;
  Problem problem;
  Status status = Status::ok;
  std::string message;  // of a failure: the cause, the place, what was expected
  std::string printed;  // by the kernel in its first check, cut after a few KiB; not stored
  Regime regime = Regime::cold;
  Samples samples_us;
  Timing timing;
  Resources resources;
  Conditions conditions;
  NamedValues metrics;
  double objective = 0;      // lower is better, for any objective; only for ok
  bool is_dropped_early = false;  // sampling was cut short: clearly slower than the best
  double compile_s = 0;      // this configuration's share
  double run_s = 0;          // time on the device: check and timing
  std::int64_t started_unix_ms = 0, ended_unix_ms = 0;
  std::int64_t id = 0;  // the database's, of a trial that was read from there

  bool ok() const { return status == Status::ok; }
};

}  // namespace gktune
