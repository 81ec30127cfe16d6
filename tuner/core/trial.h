#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/values.h"
#include "tuner/core/fields.h"

namespace gktune {

// How a trial ended. All but ok and the last two are failures of the configuration.
GKTUNE_ENUM(Status, ok,
            invalid,  // its launch cannot be formed: an expression failed, an empty block
            compile_failed, compile_timed_out,
            launch_failed,  // refused by the device: resources, geometry
            out_of_memory, wrong_result,
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
            machine_failed)    // the trial never ran and says nothing about the configuration
inline constexpr Status kLastStatus = Status::machine_failed;
// True if the failure is not the configuration's: others of the problem would fail too. Do not store it.
constexpr bool ends_problem(Status status) {
  return status == Status::reference_failed || status == Status::machine_failed;
}
inline std::string_view status_name(Status status) { return enum_name(status); }
inline std::optional<Status> status_from_name(std::string_view name) { return enum_from_name<Status>(name); }

// State of the caches when a launch begins.
GKTUNE_ENUM(Regime, cold, hot)
inline std::string_view regime_name(Regime regime) { return enum_name(regime); }
inline std::optional<Regime> regime_from_name(std::string_view name) { return enum_from_name<Regime>(name); }

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

// The times of a machine that takes `factor` times as long.
inline Timing scaled(const Timing& timing, double factor) {
  return {timing.median_us * factor, timing.low_us * factor,  timing.high_us * factor,
          timing.min_us * factor,    timing.mean_us * factor, timing.deviation_us * factor};
}

// Unknown without samples.
template <class Archive, Is<Timing> S>
void fields(Archive&& archive, S& timing) {
  const bool is_timed = timing.median_us > 0;
  archive("median_us", known_if(is_timed, timing.median_us));
  archive("low_us", known_if(is_timed, timing.low_us));
  archive("high_us", known_if(is_timed, timing.high_us));
  archive("min_us", known_if(is_timed, timing.min_us));
  archive("mean_us", known_if(is_timed, timing.mean_us));
  archive("deviation_us", known_if(is_timed, timing.deviation_us));
}

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

template <class Archive, Is<Resources> S>
void fields(Archive&& archive, S& resources) {
  archive("registers", unless_negative(resources.registers));
  archive("spill_bytes", unless_negative(resources.spill_bytes));
  archive("static_shared_bytes", unless_negative(resources.static_shared_bytes));
  archive("dynamic_shared_bytes", unless_negative(resources.dynamic_shared_bytes));
  archive("occupancy", unless_negative(resources.occupancy));
  archive("grid_x", resources.grid[0]);
  archive("grid_y", resources.grid[1]);
  archive("grid_z", resources.grid[2]);
  archive("block_x", resources.block[0]);
  archive("block_y", resources.block[1]);
  archive("block_z", resources.block[2]);
}

// Readings of the card around the timed runs; negative if it has no such reading.
struct Conditions {
  double clock_mhz = -1;
  double temperature_c = -1;
  double power_w = -1;
  double energy_j = -1;  // of one execution
  bool throttled = false;
};

template <class Archive, Is<Conditions> S>
void fields(Archive&& archive, S& conditions) {
  archive("clock_mhz", unless_negative(conditions.clock_mhz));
  archive("temperature_c", unless_negative(conditions.temperature_c));
  archive("power_w", unless_negative(conditions.power_w));
  archive("energy_j", unless_negative(conditions.energy_j));
  archive("throttled", conditions.throttled);
}

// One configuration, tried on one problem.
struct Trial {
  Config config;
  Problem problem;
  Status status = Status::ok;
  std::string message;  // of a failure: the cause, the place, what was expected
  std::string printed;  // by the kernel in its first check, cut after a few KiB; not stored
  bool reuses_results = false;  // of a failure: it is right or fast only where it knows of others; not stored
  Regime regime = Regime::cold;
  Samples samples_us;
  Timing timing;
  double fresh_us = -1;  // of executions that could know of no other; negative: there were none
  Resources resources;
  Conditions conditions;
  NamedValues metrics;
  double objective = 0;           // lower is better, for any objective; only for ok
  bool is_dropped_early = false;  // sampling was cut short: clearly slower than the best
  double compile_s = 0;           // this configuration's share
  double run_s = 0;               // time on the device: check and timing
  std::int64_t started_unix_ms = 0, ended_unix_ms = 0;
  // The database sets these when it reads a trial: the id of its row, and the host that measured it.
  std::int64_t id = 0;
  std::string host_name;

  bool ok() const { return status == Status::ok; }
};

// Not listed: problem and regime belong to the study, id and host name to the database, printed and
// reuses_results are for the one who asked.
template <class Archive, Is<Trial> S>
void fields(Archive&& archive, S& trial) {
  archive("config", trial.config);
  archive("status", trial.status);
  archive("message", trial.message);
  archive("objective", known_if(trial.ok(), trial.objective));
  archive("is_dropped_early", trial.is_dropped_early);
  fields(archive, trial.timing);
  archive("fresh_us", unless_negative(trial.fresh_us));
  archive("metrics", trial.metrics);
  fields(archive, trial.resources);
  fields(archive, trial.conditions);
  archive("compile_s", trial.compile_s);
  archive("run_s", trial.run_s);
  archive("started_ms", trial.started_unix_ms);
  archive("ended_ms", trial.ended_unix_ms);
  archive("samples", trial.samples_us);
}

}  // namespace gktune
