#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "tuner/device/failure.h"
#include "tuner/measure/element.h"

namespace gktune {

// Compares the times that a candidate's process tells of its executions with the times that another process
// sees. A candidate can change what its process reads as the time. The times that are seen include messages
// and preparations. The candidate lies if they are longer by more than that in each of at least
// kLeastExecutions executions; other work on the machine makes some of them long.
struct ToldTimes {
  static constexpr std::size_t kLeastExecutions = 8;
  static constexpr double kShare = 0.3, kMoreUs = 2000;

  explicit ToldTimes(std::string how) : how_seen(std::move(how)) {}

  std::string how_seen;  // "in which a thread works for"
  std::size_t count = 0;
  // The two times of the execution where they differ least.
  double told_us = 0, seen_us = std::numeric_limits<double>::infinity();

  void add(double told, double seen) {
    ++count;
    if (seen - told < seen_us - told_us) told_us = told, seen_us = seen;
  }
  bool are_possible() const { return seen_us <= (1 + kShare) * told_us + kMoreUs; }
  Failure failure() const {
    return {.status = Status::wrong_result,
            .message = "takes " + number_text(told_us) + " us by the clock of its process, " + how_seen +
                       ' ' + number_text(seen_us) + " us: it changes its clock",
            .reuses_results = true};
  }
};

}  // namespace gktune
