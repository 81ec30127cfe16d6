#include "cli/output/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gktune {
namespace {

using namespace std::chrono_literals;
const Progress::Time kStart{};

ProgressState halfway() {
  ProgressState state;
  state.title = "reduce n=1Mi";
  state.done = 100;
  state.total = 200;
  state.best = "12.4 µs, 4613 GB/s";
  state.elapsed_s = 42;
  return state;
}

TEST(Progress, shows_the_number_of_trials_the_best_and_the_time_left) {
  EXPECT_EQ(progress_text(halfway()), "reduce n=1Mi  100/200  best 12.4 µs, 4613 GB/s  42 s left");
}

TEST(Progress, lists_the_kinds_of_failures_by_frequency) {
  ProgressState state = halfway();
  state.failures = {{Status::wrong_result, 1}, {Status::crashed, 3}};
  EXPECT_EQ(progress_text(state),
            "reduce n=1Mi  100/200  best 12.4 µs, 4613 GB/s  failed: 3 crashed, 1 wrong_result  42 s left");
}

TEST(Progress, counts_trials_if_the_total_is_unknown) {
  ProgressState state;
  state.done = 7;
  EXPECT_EQ(progress_text(state), "7 done");
}

TEST(Progress, earlier_trials_do_not_shorten_the_time_left) {
  ProgressState state = halfway();
  state.done_before = 90;
  EXPECT_DOUBLE_EQ(seconds_left(state).value(), 420);
}

TEST(Progress, a_budget_bounds_the_time_left) {
  ProgressState state = halfway();
  state.budget_s = 60;
  EXPECT_DOUBLE_EQ(seconds_left(state).value(), 18);
  state.elapsed_s = 61;
  EXPECT_DOUBLE_EQ(seconds_left(state).value(), 0);
}

TEST(Progress, shows_no_time_left_at_the_end) {
  ProgressState state = halfway();
  state.done = state.total;
  EXPECT_EQ(progress_text(state), "reduce n=1Mi  200/200  best 12.4 µs, 4613 GB/s");
}

TEST(Progress, a_playoff_shows_its_rounds_and_no_time_left) {
  ProgressState state = halfway();
  state.stage = "playoff 12/50";
  state.budget_s = 60;
  EXPECT_EQ(progress_text(state), "reduce n=1Mi  100/200  playoff 12/50  best 12.4 µs, 4613 GB/s");
}

TEST(Progress, rewrites_one_line_on_a_terminal) {
  std::ostringstream stream;
  {
    Progress progress(stream, {.is_terminal = true, .columns = 20}, Progress::Mode::shown);
    progress.show(halfway(), kStart);
    progress.show(halfway(), kStart + 50ms);
    progress.show(halfway(), kStart + 100ms);
  }
  EXPECT_EQ(stream.str(),
            "\r\x1b[Kreduce n=1Mi  100/…"
            "\r\x1b[Kreduce n=1Mi  100/…"
            "\r\x1b[K");
}

TEST(Progress, writes_a_plain_line_to_a_file_every_few_seconds) {
  std::ostringstream stream;
  {
    Progress progress(stream, {}, Progress::Mode::shown);
    progress.show(halfway(), kStart);
    progress.show(halfway(), kStart + 4s);
    progress.show(halfway(), kStart + 5s);
    progress.show(halfway(), kStart + 6s);
  }
  EXPECT_EQ(stream.str(), progress_text(halfway()) + '\n');
}

TEST(Progress, writes_nothing_if_it_is_hidden) {
  std::ostringstream stream;
  Progress progress(stream, {.is_terminal = true}, Progress::Mode::hidden);
  progress.show(halfway(), kStart);
  progress.clear();
  EXPECT_EQ(stream.str(), "");
}

}  // namespace
}  // namespace gktune
