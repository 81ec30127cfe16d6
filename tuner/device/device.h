#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"
#include "tuner/measure/stopping_rule.h"

namespace gktune {

struct KernelDefinition;

// A configuration to try on a problem.
struct Candidate {
  Config config;
  Problem problem;
  // Read when the candidate begins to run: it may change while the candidate is compiled. Null: no cutoff.
  std::shared_ptr<const Cutoff> cutoff = nullptr;
  std::shared_ptr<const KernelDefinition> kernel = nullptr;  // null: the device's; see WorkerDevice
};

// How finalists are compared: each round times every finalist once.
struct Rounds {
  int count = 50;
  double seconds = std::numeric_limits<double>::infinity();  // for the rounds after the first few
};

GKTUNE_FIELDS(Rounds, count, seconds)

// The finalist whose turn it is. Each round starts with another one, so that none
// always follows the same one.
inline std::size_t finalist_at(int round, std::size_t turn, std::size_t count) {
  return (turn + static_cast<std::size_t>(round)) % count;
}

// Called during a playoff, at least every tenth of a second, with each finalist's samples of the complete
// rounds. False ends the playoff.
using PlayoffWatch = std::function<bool(const std::vector<Samples>& samples)>;

// The number of complete rounds.
inline std::size_t rounds_of(const std::vector<Samples>& samples) {
  std::size_t rounds = 0;
  for (const Samples& each : samples) rounds = std::max(rounds, each.size());
  return rounds;
}

// The only access to hardware: compiles, checks and times configurations of one kernel.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  // The number of candidates that may be in flight.
  virtual std::size_t capacity() const = 0;
  virtual void submit(Candidate candidate) = 0;
  // Waits for the next submitted candidate to finish, in any order. Failures are Trials too.
  virtual Trial next() = 0;
  // The same while `go_on`, which is asked at least every tenth of a second, says so. Then candidates that
  // run get another second. Null: those in flight are dropped.
  virtual std::optional<Trial> next_while([[maybe_unused]] const std::function<bool()>& go_on) {
    return next();
  }
  // Drops candidates that have not begun to run and returns their number. next() returns the others.
  virtual std::size_t withdraw() = 0;
  // A trial of each finalist, in their order, whose samples are interleaved: one from every complete round.
  // One that fails has none. Nothing may be in flight.
  virtual std::vector<Trial> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                                     const PlayoffWatch& go_on) = 0;
};

}  // namespace gktune
