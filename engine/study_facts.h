#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store/trial_store.h"
#include "engine/failures.h"
#include "engine/peaks.h"
#include "engine/tuning.h"
#include "tuner/analysis/histogram.h"
#include "tuner/analysis/variance_shares.h"
#include "tuner/core/result.h"

namespace gktune {

// Everything that a report shows of one study.
struct StudyFacts {
  struct Parameter {
    std::string name;
    std::vector<Value> values;  // that were tried: numbers by size, then truth values, then texts by letters
    bool is_ordered = false;    // all are numbers
  };
  struct Point {
    std::int64_t id = 0;                // of the trial
    std::vector<std::uint32_t> places;  // of its value of each parameter
    Status status = Status::ok;
    double score = 0;      // in its own unit, NaN without one: see score_name
    double objective = 0;  // lower is better
    double elapsed_s = 0;  // of tuning, when it ended; pauses between runs are left out
    bool ok() const { return status == Status::ok; }
  };
  struct Cause {
    Status status = Status::ok;
    std::string message;  // the first line of one of them; they differ in digits only
    std::int64_t count = 0;
    std::int64_t example = 0;  // id of a trial
  };
  // A value that no trial among the best has.
  struct AbsentValue {
    std::size_t parameter = 0, place = 0;
    std::int64_t tried = 0;  // trials with it that went well
    double expected = 0;     // number among the best if the value made no difference
    double best_score = 0;   // of the trials with it
  };

  StudySummary summary;
  std::string score_name;  // "time" (in µs), or the metric that is the objective
  bool higher_is_better = false;
  std::vector<Parameter> parameters;
  std::vector<Point> points;              // the current trial of each configuration, as they ended
  std::vector<std::size_t> ranking;       // indices of the points that went well, best first
  std::vector<std::size_t> improvements;  // indices of the points that were the best so far
  std::vector<Trial> leaders;             // the best few in full
  std::optional<Best> winner;
  std::vector<std::string> changes;  // since the winner was measured, from Archive::changes()
  std::vector<Trial> finalists;  // of the playoff that decides, best first
  std::optional<Gain> gain;      // of the winner over the median configuration
  Histogram distribution;        // of the scores
  Failures failures;
  std::vector<Cause> causes;   // the most frequent first
  VarianceShares shares;       // of the logarithm of the score; the factors are the parameters
  std::size_t best_count = 0;  // so many trials are "the best" for the absent values; 0: too few trials
  std::vector<AbsentValue> absent;
  std::optional<DeviceInfo> device;  // where the winner was measured
  std::string host_name;
  std::vector<PeakShare> peaks;  // of the winner
};

// Gathers the facts from the store. `winners` are those of the kernel, or of all kernels.
Result<StudyFacts> facts_of(const TrialStore& store, const StudySummary& summary,
                            const std::vector<Best>& winners);

// Values of a parameter as pictures show them: neighbours share a group if there are more than this.
constexpr std::size_t kMostGroups = 24;
constexpr std::size_t group_of(std::size_t place, std::size_t values) {
  return values <= kMostGroups ? place : place * kMostGroups / values;
}

// Indices of the points of a picture with about so many: all improvements, the best, the best of each pair of
// groups of two parameters as far as half of them reaches, and others at equal distances.
struct Sample {
  std::vector<std::size_t> points;  // rising
  bool has_every_pair = true;       // the best point of each pair of groups is there
};
Sample sample_of(const StudyFacts& facts, std::size_t size);

}  // namespace gktune
