#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "engine/devices.h"
#include "engine/tuning_session.h"
#include "gktune/result.h"
#include "tuner/analysis/forest.h"
#include "tuner/measure/statistics.h"
#include "tuner/tune.h"

namespace gktune {

// Everything that a report shows of one study.
struct StudyFacts {
  struct Parameter {
    std::string name;
    // The values that were tried: numbers ascending, then booleans, then texts in alphabetical order.
    std::vector<Value> values;
    bool is_ordered = false;    // all are numbers
  };
  struct Point {
    std::int64_t id = 0;                // the trial's
    std::vector<std::uint32_t> places;  // for each parameter, the index of the trial's value
    Status status = Status::ok;
    double score = 0;      // in the unit of score_name; NaN if it has none
    double elapsed_s = 0;  // from the start of tuning to its end, without pauses between runs
    bool ok() const { return status == Status::ok; }
  };
  // Failures with the same message, except for digits.
  struct Cause {
    Status status = Status::ok;
    std::string message;  // the first line of one of these messages
    std::int64_t count = 0;
    std::int64_t example = 0;  // the id of one of these trials
  };

  StudySummary summary;
  std::string score_name;  // "time" (in µs), or the metric that is the objective
  bool higher_is_better = false;
  std::vector<Parameter> parameters;
  // The current trial of each configuration, in the order in which they ended.
  std::vector<Point> points;
  std::vector<std::size_t> ranking;       // indices of the successful points, best first
  std::vector<std::size_t> improvements;  // indices of the points that were better than all before them
  std::vector<Trial> leaders;             // the best few trials, complete
  std::optional<Winner> winner;
  std::vector<std::string> changes;  // after the winner was measured, from the database
  std::vector<Trial> finalists;      // the finalists of the deciding playoff, best first
  std::optional<Gain> gain;          // the winner against the median configuration
  Histogram distribution;            // the scores
  Failures failures;
  std::vector<Cause> causes;   // the most frequent first
  VarianceShares shares;       // variance of the logarithm of the score; the factors are the parameters
  std::optional<DeviceInfo> device;  // where the winner was measured
  std::string host_name;
  HostTimes hosts;
  std::optional<Playoff> decided_by;  // the playoff of the finalists
  std::vector<PeakShare> peaks;  // the winner's
};

// Collects the facts from the store. `winners` may contain winners of other studies.
Result<StudyFacts> facts_of(const Database& store, const StudySummary& summary,
                            const std::vector<Winner>& winners);

// The indices of about `size` points for a chart, ascending: all improvements, the best hundred, and others
// at equal distances.
std::vector<std::size_t> sample_of(const StudyFacts& facts, std::size_t size);

}  // namespace gktune
