#include "cli/output/tuning_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/output/study_tables.h"
#include "tests/example_database.h"
#include "tests/expectations.h"
#include "tuner/space/safe_settings.h"

namespace gktune {
namespace {

Tuning finished() {
  Tuning tuning;
  tuning.kernel = "reduce";
  tuning.problem = {{"n", 1 << 20}};
  tuning.device = "NVIDIA H200";
  tuning.valid = 11130;
  tuning.cartesian = 22272;
  tuning.trials = {good_trial(64, 30), good_trial(128, 20), good_trial(256, 10),
                   bad_trial(512, Status::crashed, "signal 11")};
  tuning.outcome.end = TuneOutcome::End::trials;
  tuning.outcome.measured = 4;
  tuning.outcome.best = tuning.trials[2];
  tuning.default_config = tuning.trials[0].config;
  tuning.seconds = 12;
  return tuning;
}

class Report : public testing::Test {
 protected:
  Tuning tuning_ = finished();
};

std::string printed(const Tuning& tuning) {
  std::ostringstream stream;
  print_report(stream, {}, tuning);
  return stream.str();
}

TEST_F(Report, says_that_results_are_unchecked_without_a_reference) {
  EXPECT_FALSE(contains(printed(tuning_), "unchecked"));
  EXPECT_EQ(report_json(tuning_)["checked"], true);
  tuning_.is_checked = false;
  EXPECT_TRUE(contains(printed(tuning_), "; unchecked: the space has no reference\n"));
  EXPECT_EQ(report_json(tuning_)["checked"], false);
}

TEST_F(Report, says_how_long_inputs_and_reference_took) {
  tuning_.busy = {.device = 0.5, .inputs_s = 41, .reference_s = 1.5};
  EXPECT_EQ(preparation_text(tuning_), "prepared: inputs 41 s, reference 1.5 s");
  EXPECT_EQ(report_json(tuning_)["busy"]["inputs_s"], 41);
  EXPECT_EQ(report_json(tuning_)["busy"]["reference_s"], 1.5);
}

TEST_F(Report, names_the_flag_for_options_that_were_refused) {
  const auto is_named = [](const Tuning& tuning) {
    return std::ranges::any_of(hints_for(tuning, ""), [](const std::string& hint) {
      return hint.find("--allow-unsafe-options") != std::string::npos;
    });
  };
  EXPECT_FALSE(is_named(tuning_));
  tuning_.trials.push_back(bad_trial(1024, Status::invalid, unsafe_option_error("-fplugin=x")));
  EXPECT_TRUE(is_named(tuning_));
}

TEST_F(Report, shows_the_best_configuration_and_the_gain) {
  EXPECT_EQ(printed(finished()),
            "reduce n=1Mi on NVIDIA H200\n"
            "4 of 11,130 configurations tried in 12 s; failed: 1 crashed\n"
            "\n"
            "   time      ±    GB/s  threadsPerBlock  way\n"
            "10.0 µs  1.0 %  400000              256  one_pass\n"
            "20.0 µs  1.0 %  200000              128  one_pass\n"
            "30.0 µs  1.0 %  133333               64  one_pass\n"
            "\n"
            "gain: 2.00 × the median configuration, 3.00 × the default\n");
}

// A trial with other times, as the playoff takes them.
Trial timed_again(Trial trial, double time_us, std::size_t samples = 7) {
  trial.samples_us = Samples(samples, time_us);
  trial.timing = {time_us, time_us, time_us, time_us, time_us, 0};
  trial.metrics = {{"GB/s", 4e6 / time_us}};
  trial.objective = time_us;
  return trial;
}

// The search had the winner at 20 µs and the runner-up at 10 µs; the playoff has them at 19 µs and 21 µs.
Tuning played() {
  Tuning tuning = finished();
  tuning.outcome.playoff = {timed_again(tuning.trials[1], 19), timed_again(tuning.trials[2], 21)};
  tuning.outcome.best = tuning.outcome.playoff.front();
  return tuning;
}

TEST_F(Report, lists_finalists_by_their_times_in_the_playoff) {
  EXPECT_EQ(printed(played()),
            "reduce n=1Mi on NVIDIA H200\n"
            "4 of 11,130 configurations tried in 12 s; failed: 1 crashed\n"
            "\n"
            "   time      ±    GB/s  threadsPerBlock  way\n"
            "19.0 µs  0.0 %  210526              128  one_pass\n"
            "21.0 µs  0.0 %  190476              256  one_pass\n"
            "\n"
            "times from the playoff: 2 configurations in turn, 7 fresh samples each\n"
            "gain: 1.00 × the median configuration, about 1.579 × the default\n");
  const Json report = report_json(played());
  EXPECT_EQ(report["best"]["config"]["threadsPerBlock"], 128);
  EXPECT_EQ(report["best"]["time_us"]["median"], report["playoff"]["median_us"]);
  EXPECT_EQ(report["top"][1]["config"]["threadsPerBlock"], 256);
  EXPECT_EQ(report["gain"]["default_time_from"], "search");
}

TEST_F(Report, a_gain_over_a_configuration_of_the_playoff_compares_playoff_times) {
  tuning_ = played();
  tuning_.outcome.playoff.push_back(timed_again(tuning_.trials[0], 38));
  const Gains gains = gains_of(tuning_);
  EXPECT_DOUBLE_EQ(gains.over_default->factor, 2);
  EXPECT_EQ(gains.over_default->source, Gain::Source::playoff);
  EXPECT_DOUBLE_EQ(gains.over_median->factor, 1);
}

TEST_F(Report, a_gain_follows_the_objective) {
  tuning_.objective = {"GB/s", true};
  EXPECT_DOUBLE_EQ(gains_of(tuning_).over_median->factor, 2);
  EXPECT_DOUBLE_EQ(gains_of(tuning_).over_default->factor, 3);
  tuning_.objective = {"J", false};
  EXPECT_FALSE(gains_of(tuning_).over_median.has_value());
}

TEST_F(Report, shows_no_gain_over_an_untried_configuration) {
  tuning_.default_config = Config{{"threadsPerBlock", 32}};
  EXPECT_FALSE(gains_of(tuning_).over_default.has_value());
  tuning_.trials = {tuning_.trials[2]};
  EXPECT_FALSE(gains_of(tuning_).over_median.has_value());
}

TEST_F(Report, shows_drift_and_warns_of_large_drift) {
  tuning_.outcome.drift = {tuning_.trials[1].config, {20, 19.9, 20.2}};
  EXPECT_TRUE(
      contains(printed(tuning_), "drift: -0.5 % to +1.0 % (of one configuration that was timed 3 times)\n"));
  EXPECT_EQ(report_json(tuning_)["drift"]["times_us"], Json({20, 19.9, 20.2}));
  EXPECT_EQ(hints_for(tuning_, "").size(), 2u);
  tuning_.outcome.drift.times_us.push_back(22);
  auto hints = hints_for(tuning_, "");
  ASSERT_EQ(hints.size(), 3u);
  EXPECT_TRUE(contains(hints[2], "-0.5 % to +10.0 %"));
  tuning_.outcome.drift.times_us = {20};
  EXPECT_FALSE(contains(printed(tuning_), "drift"));
  EXPECT_FALSE(report_json(tuning_).contains("drift"));
}

TEST_F(Report, hints_name_the_next_flag_to_try) {
  auto hints = hints_for(tuning_, " --db x.db");
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_EQ(hints[0], "to see it again: gktune best reduce --problem n=1Mi --db x.db");
  EXPECT_EQ(hints[1], "4 of 11,130 configurations were tried; --trials 8 continues");

  tuning_.valid = 6;
  EXPECT_EQ(hints_for(tuning_, "")[1], "4 of 6 configurations were tried; --trials 6 continues");
  tuning_.valid = 4;
  EXPECT_EQ(hints_for(tuning_, "").size(), 1u);
  tuning_.valid = 11130;

  tuning_.outcome.end = TuneOutcome::End::seconds;
  tuning_.budget_s = 60;
  EXPECT_EQ(hints_for(tuning_, "")[1],
            "the time limit was reached after 4 of 11,130 configurations; --time 120s continues");
  tuning_.spent_s = 90;  // the last trials took their time
  EXPECT_TRUE(contains(hints_for(tuning_, "")[1], "--time 180s"));
  using End = TuneOutcome::End;
  for (const End end : {End::stopped, End::machine_failed}) {
    tuning_.outcome.end = end;
    tuning_.is_fresh = false;
    EXPECT_EQ(hints_for(tuning_, "")[1], "the same command continues");
    tuning_.is_fresh = true;
    EXPECT_EQ(hints_for(tuning_, "")[1],
              "the same command without --fresh continues; with --fresh it starts over");
  }
}

TEST_F(Report, says_how_many_configurations_were_not_judged_and_why) {
  EXPECT_FALSE(report_json(tuning_).contains("unjudged"));
  tuning_.outcome.unjudged = 2;
  tuning_.outcome.why_unjudged = "killed by SIGKILL from outside in 4 attempts\nmore";
  EXPECT_TRUE(contains(printed(tuning_),
                       "\nnot judged: 2 configurations; killed by SIGKILL from outside in 4 attempts\n"));
  EXPECT_EQ(report_json(tuning_)["unjudged"]["configurations"], 2);
  EXPECT_EQ(report_json(tuning_)["unjudged"]["reason"], tuning_.outcome.why_unjudged);
  EXPECT_EQ(hints_for(tuning_, "")[1],
            "the same command tries again the configurations that were not judged");
}

TEST_F(Report, a_table_of_failures_shortens_very_long_lines) {
  std::ostringstream stream;
  failure_table({bad_trial(1, Status::compile_failed, std::string(900'000, 'x'))}).print(stream, {});
  EXPECT_LT(stream.str().size(), 2000u);
}

TEST_F(Report, counts_new_trials_apart_from_earlier_ones_and_says_if_there_are_none) {
  tuning_.earlier = 3;
  tuning_.outcome.measured = 1;
  EXPECT_TRUE(contains(printed(tuning_), "4 of 11,130 configurations tried, 1 of them now, in 12 s;"));
  tuning_.outcome.end = TuneOutcome::End::exhausted;
  tuning_.outcome.measured = 0;
  tuning_.earlier = 4;
  EXPECT_TRUE(contains(printed(tuning_),
                       "4 of 11,130 configurations tried, all of them earlier; failed: 1 crashed\n"));
  EXPECT_EQ(hints_for(tuning_, "")[1], "no configuration was left to measure; --fresh measures all again");
}

TEST_F(Report, a_hint_says_how_to_find_the_line_of_an_access_outside_of_buffers) {
  for (const Status status : {Status::illegal_access, Status::guard_violated}) {
    tuning_ = finished();
    tuning_.valid = 4;
    ASSERT_EQ(hints_for(tuning_, "").size(), 1u);
    tuning_.trials[3] = bad_trial(512, status, "an illegal access");
    const auto hints = hints_for(tuning_, "");
    ASSERT_EQ(hints.size(), 2u) << status_name(status);
    EXPECT_EQ(hints[1],
              "kernels accessed memory outside their buffers: gktune check SPACE --sanitize names the lines");
    tuning_.outcome.best.reset();  // also where nothing works
    EXPECT_EQ(hints_for(tuning_, "").size(), 1u);
  }
}

TEST_F(Report, hints_point_out_doubtful_times) {
  tuning_.outcome.end = TuneOutcome::End::exhausted;
  tuning_.outcome.best->timing.high_us = 12;
  tuning_.trials[0].conditions.throttled = true;
  auto hints = hints_for(tuning_, "");
  ASSERT_EQ(hints.size(), 3u);
  EXPECT_TRUE(hints[1].starts_with("the best time is uncertain by ± 10.5 %")) << hints[1];
  EXPECT_TRUE(hints[2].starts_with("the device was throttled during 1 trials")) << hints[2];
}

TEST_F(Report, has_the_same_facts_as_json) {
  Json report = report_json(finished());
  EXPECT_EQ(report["configurations"]["valid"], 11130);
  EXPECT_EQ(report["failed"]["crashed"], 1);
  EXPECT_EQ(report["best"]["config"]["threadsPerBlock"], 256);
  EXPECT_EQ(report["top"].size(), 3u);
  EXPECT_EQ(report["gain"]["over_median"], 2.0);
  EXPECT_EQ(report["end"], "trials");
}

TEST_F(Report, shows_the_most_frequent_reason_if_all_trials_failed) {
  tuning_.trials = {bad_trial(64, Status::crashed, "signal 11"),
                    bad_trial(128, Status::compile_failed, "k.cu:3: error"),
                    bad_trial(256, Status::compile_failed, "k.cu:3: error")};
  EXPECT_EQ(failure_report(tuning_),
            "all 3 configurations failed: 2 compile_failed, 1 crashed\nk.cu:3: error");
}

TEST(TrialTable, a_time_without_an_interval_has_no_spread) {
  EXPECT_LT(spread_of({10, 0, 0, 10, 10, 0}), 0);
  EXPECT_DOUBLE_EQ(spread_of({10, 9, 11, 9, 10, 0}), 0.1);
}

TEST(TrialTable, the_score_names_the_metrics) {
  EXPECT_EQ(score_text(good_trial(64, 10)), "10.0 µs, 400000 GB/s");
}

}  // namespace
}  // namespace gktune
