#include <gtest/gtest.h>

#include "reduce_example.h"
#include "tests/expectations.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

const std::map<std::string, std::string> kFiles = {{"k.cu", ""}};

// The metrics of a trial of 2 µs, with n = 1000 and unroll = 4.
Result<Trial> evaluated(const std::string& metrics, const std::string& objective) {
  const std::string text =
      "kernel: k\nsource: k.cu\nlaunches: {entry: f}\nproblem: {n: 1000}\nparameters: {unroll: [1, 4]}\n"
      "metrics: " +
      metrics + "\nobjective: " + objective + "\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of(kFiles));
  if (!read) return Error{read.error()[0].str()};
  Trial trial;
  trial.config = {{"unroll", 4}};
  trial.problem = {{"n", 1000}};
  trial.timing.median_us = 2;
  DeviceInfo device;
  device.multiprocessors = 132;
  const auto done = evaluate_metrics(read->kernel, device, trial);
  if (!done) return done.error();
  return trial;
}

TEST(Metrics, time_is_the_objective_unless_another_is_named) {
  const auto trial = evaluated("{}", "time");
  EXPECT_EQ(trial->objective, 2);
  EXPECT_TRUE(trial->metrics.empty());
}

TEST(Metrics, can_use_times_the_problem_parameters_and_the_device) {
  const auto trial =
      evaluated("{GB/s: n * 4 / time_s / 1e9, all: n + unroll + device.multiprocessors}", "{minimize: all}");
  EXPECT_DOUBLE_EQ(trial->metrics.find("GB/s")->number(), 2);
  EXPECT_EQ(*trial->metrics.find("all"), Value(1136));
  EXPECT_EQ(trial->objective, 1136);
}

TEST(Metrics, a_maximised_metric_is_minimised_as_its_negative) {
  const auto trial = evaluated("{rate: n / time_us}", "{maximize: rate}");
  EXPECT_EQ(trial->objective, -500);
}

TEST(Metrics, a_metric_of_an_unknown_reading_is_left_out) {
  const auto trial = evaluated("{J: energy_j, us: time_us}", "time");
  EXPECT_EQ(trial->metrics.find("J"), nullptr);
  EXPECT_NE(trial->metrics.find("us"), nullptr);
  EXPECT_EQ(message_of(evaluated("{J: energy_j}", "{minimize: J}")),
            "the objective 'J' needs a reading that this device does not give");
}

TEST(Metrics, a_value_that_is_not_finite_is_an_error) {
  EXPECT_FALSE(evaluated("{x: n / (n - 1000)}", "time").ok());
  EXPECT_EQ(message_of(evaluated("{x: \"'fast'\"}", "time")),
            "metric 'x': ''fast'' is fast, not a finite number");
}

}  // namespace
}  // namespace gktune
