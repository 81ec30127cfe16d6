#include "cli/output/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "cli/output/units.h"

namespace gktune {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::steady_clock::duration kTerminalInterval = 100ms;
constexpr std::chrono::steady_clock::duration kPlainInterval = 5s;

}  // namespace

std::string failures_text(const Failures& failures) {
  std::vector<std::pair<Status, std::int64_t>> sorted(failures.begin(), failures.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& each) { return each.second; });
  std::string text;
  for (const auto& [status, count] : sorted) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", count, status_name(status));
  }
  return text;
}

std::optional<double> seconds_left(const ProgressState& state) {
  std::optional<double> left;
  if (std::int64_t done_now = state.done - state.done_before; state.total > 0 && done_now > 0) {
    auto remaining = static_cast<double>(std::max<std::int64_t>(state.total - state.done, 0));
    left = remaining * state.elapsed_s / static_cast<double>(done_now);
  }
  if (state.budget_s) {
    double of_budget = std::max(*state.budget_s - state.elapsed_s, 0.0);
    left = left ? std::min(*left, of_budget) : of_budget;
  }
  return left;
}

std::string progress_text(const ProgressState& state) {
  std::string text = state.title;
  if (!text.empty()) text += "  ";
  text +=
      state.total > 0 ? fmt::format("{}/{}", state.done, state.total) : fmt::format("{} done", state.done);
  if (!state.stage.empty()) text += "  " + state.stage;
  if (!state.best.empty()) text += "  best " + state.best;
  if (!state.failures.empty()) text += "  failed: " + failures_text(state.failures);
  bool is_over = !state.stage.empty() || (state.total > 0 && state.done >= state.total);
  if (auto left = seconds_left(state); left && !is_over) text += "  " + format_seconds(*left) + " left";
  return text;
}

Progress::Progress(std::ostream& stream, const Screen& screen, Mode mode)
    : stream_(stream), screen_(screen), mode_(mode) {}

void Progress::show(const ProgressState& state, Time now) {
  if (mode_ == Mode::hidden) return;
  auto interval = screen_.is_terminal ? kTerminalInterval : kPlainInterval;
  if (!shown_at_) {
    shown_at_ = now;
    // A log needs no line for the beginning.
    if (!screen_.is_terminal) return;
  } else if (now - *shown_at_ < interval) {
    return;
  }
  shown_at_ = now;
  if (screen_.is_terminal) {
    erase_line(stream_);
    stream_ << cut(progress_text(state), screen_.columns - 1) << std::flush;
    is_on_screen_ = true;
  } else {
    stream_ << progress_text(state) << std::endl;
  }
}

void Progress::clear() {
  if (!is_on_screen_) return;
  erase_line(stream_);
  stream_ << std::flush;
  is_on_screen_ = false;
}

}  // namespace gktune
