#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/output/screen.h"
#include "tuner/tune.h"

namespace gktune {

// Progress of a search.
struct ProgressState {
  std::string title;
  std::int64_t done = 0;
  std::int64_t total = 0;        // 0: unknown
  std::int64_t done_before = 0;  // by earlier runs
  std::string best;              // "12.4 µs, 4613 GB/s"; empty: none yet
  Failures failures;
  std::string stage;  // "playoff 12/50"; empty: the search
  double elapsed_s = 0;
  std::optional<double> budget_s;
};

std::string progress_text(const ProgressState& state);
// "3 wrong_result, 1 crashed"
std::string failures_text(const Failures& failures);
// The time left by the pace so far and by the budget; nothing if both are unknown.
std::optional<double> seconds_left(const ProgressState& state);

// Rewrites one line on a terminal; elsewhere prints a line every few seconds.
class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Mode { shown, hidden };

  Progress(std::ostream& stream, const Screen& screen, Mode mode);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const ProgressState& state, Time now = std::chrono::steady_clock::now());
  // Call before printing other lines.
  void clear();

 private:
  std::ostream& stream_;
  Screen screen_;
  Mode mode_;
  std::optional<Time> shown_at_;
  bool is_on_screen_ = false;
};

}  // namespace gktune
