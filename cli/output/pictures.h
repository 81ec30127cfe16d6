#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/output/screen.h"
#include "engine/tuning_session.h"

namespace gktune {

// Pictures of a tuning in a terminal.

// A bar of block characters for each height between 0 and 1, as lines from the top.
std::vector<std::string> bars(const std::vector<double>& heights, std::size_t lines);

// The scores of the trials in the order in which they ended; NaN for a failure.
struct ScoreHistory {
  std::vector<double> scores;
  std::string name;  // "time", or a metric
  bool higher_is_better = false;
};
ScoreHistory history_of(const std::vector<Trial>& trials, const Objective& objective);

// "12.4 µs", or the number with the metric's name.
std::string score_text(double score, const std::string& name);

// The best score so far and the distribution of all. Prints nothing where the stream is no terminal, or is
// too narrow, or where there is too little to see.
void print_pictures(std::ostream& stream, const Screen& screen, const ScoreHistory& history);

}  // namespace gktune
