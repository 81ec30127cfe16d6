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

TEST(Progress, says_how_far_how_good_and_how_long) {
  EXPECT_EQ(progress_text(halfway()), "reduce n=1Mi  100/200  best 12.4 µs, 4613 GB/s  42 s left");
}

TEST(Progress, names_failures_by_kind_the_most_frequent_first) {
  ProgressState state = halfway();
  state.failures = {{Status::wrong_result, 1}, {Status::crashed, 3}};
  EXPECT_EQ(progress_text(state),
            "reduce n=1Mi  100/200  best 12.4 µs, 4613 GB/s  failed: 3 crashed, 1 wrong_result  42 s left");
}

TEST(Progress, without_a_total_it_counts) {
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

TEST(Progress, at_the_end_no_time_is_left_to_tell) {
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

TEST(Progress, a_terminal_has_one_line_that_is_rewritten) {
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

TEST(Progress, a_file_gets_a_plain_line_every_few_seconds) {
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

TEST(Progress, hidden_writes_nothing) {
  std::ostringstream stream;
  Progress progress(stream, {.is_terminal = true}, Progress::Mode::hidden);
  progress.show(halfway(), kStart);
  progress.clear();
  EXPECT_EQ(stream.str(), "");
}

}  // namespace
}  // namespace gktune
