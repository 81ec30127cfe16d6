#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"

namespace gktune {

// A configuration to try on a problem.
struct Candidate {
  Config config;
  Problem problem;
  // A candidate slower than this gets few samples.
  double cutoff_us = std::numeric_limits<double>::infinity();
};

// How finalists are compared: each round times every finalist once.
struct Rounds {
  int count = 50;
};

// Asked during a playoff, at least every tenth of a second, with the number of complete rounds. False ends
// the playoff.
using PlayoffWatch = std::function<bool(int rounds_done)>;

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
  // Drops candidates that have not begun to run and returns their number. next() returns the others.
  virtual std::size_t withdraw() = 0;
  // Interleaved samples of the finalists, in their order; none for one that fails. Each has the same number
  // of them: one from every complete round. Nothing may be in flight.
  virtual std::vector<Samples> playoff(const Problem& problem, std::vector<Config> finalists, Rounds rounds,
                                       const PlayoffWatch& go_on) = 0;
};

}  // namespace gktune
