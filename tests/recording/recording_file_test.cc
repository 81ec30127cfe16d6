#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expectations.h"
#include "tests/recording/compressed.h"
#include "tests/scratch_folder.h"
#include "tuner/recording/recording.h"

namespace gktune {
namespace {

constexpr std::string_view kCache = R"({
  "device_name": "Card A", "kernel_name": "copy", "problem_size": [64, 32],
  "tune_params_keys": ["way", "block"], "tune_params": {"way": ["wide", "narrow"], "block": [128, 64, 32, 16]},
  "cache": {
    "wide,64": {"way": "wide", "block": 64, "time": 2.5, "times": [2.0, 2.5, 3.0], "compile_time": 100.0,
                "verification_time": 10, "framework_time": 5, "benchmark_time": 8, "strategy_time": 3},
    "narrow,32": {"way": "narrow", "block": 32, "time": 4, "compile_time": 100.0},
    "wide,128": {"way": "wide", "block": 128, "time": "CompilationFailedConfig", "compile_time": 50,
                 "verification_time": null},
    "narrow,128": {"way": "narrow", "block": 128, "time": "RuntimeFailedConfig", "compile_time": 50},
    "narrow,64": {"way": "narrow", "block": 64, "time": 1e20},
    "wide,32": {"way": "wide", "block": 32, "time": "InvalidConfig"}
  }
})";

constexpr std::string_view kT4 = R"({
  "schema_version": "1.0.0",
  "results": [
    {"configuration": {"block": 64, "fast": true}, "invalidity": "correct", "objectives": ["time"],
     "times": {"compilation": 100, "runtimes": [2, 4], "validation": 10, "framework": 1, "benchmark": 6},
     "measurements": [{"name": "GFLOP/s", "value": 7, "unit": ""}, {"name": "time", "value": 3, "unit": "ms"}]},
    {"configuration": {"fast": false, "block": 32}, "invalidity": "timeout", "times": {"compilation_time": 20}},
    {"configuration": {"fast": false, "block": 8}, "invalidity": "correctness"},
    {"configuration": {"fast": true, "block": 64}, "invalidity": "correct",
     "measurements": [{"name": "time", "value": 5, "unit": "us"}]}
  ]
})";

Recording read(std::string_view text) { return read_recording_text(text, "folder/copy-A.json.gz").value(); }

std::string error_of(std::string_view text) {
  const auto recording = read_recording_text(text, "r.json");
  return recording ? "no error" : recording.error().message;
}

// The cache with one part of its text replaced.
std::string error_with(std::string_view part, std::string_view replacement) {
  std::string text(kCache);
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return error_of(text.replace(place, part.size(), replacement));
}

const Trial& trial_of(const Recording& recording, const std::string& way, int block) {
  return *std::ranges::find(recording.trials, Config{{"way", way}, {"block", block}}, &Trial::config);
}

TEST(RecordingFile, a_cache_has_its_kernel_device_and_problem) {
  const Recording recording = read(kCache);
  EXPECT_EQ(recording.name, "copy-A");
  EXPECT_EQ(recording.kernel, "copy");
  EXPECT_EQ(recording.device.name, "Card A");
  EXPECT_EQ(recording.device.kind, "replay");
  EXPECT_EQ(recording.problem, (Problem{{"problem_size", "64x32"}}));
}

TEST(RecordingFile, a_cache_has_the_values_that_occur_in_the_order_of_the_file) {
  const Recording recording = read(kCache);
  ASSERT_EQ(recording.parameters.size(), 2u);
  EXPECT_EQ(recording.parameters[0].name, "way");
  EXPECT_EQ(recording.parameters[0].values, (std::vector<Value>{"wide", "narrow"}));
  EXPECT_EQ(recording.parameters[1].values, (std::vector<Value>{128, 64, 32}));
}

TEST(RecordingFile, a_measured_configuration_has_its_times_and_their_cost) {
  const Recording recording = read(kCache);
  const Trial& trial = trial_of(recording, "wide", 64);
  EXPECT_EQ(trial.config, (Config{{"way", "wide"}, {"block", 64}}));
  EXPECT_TRUE(trial.ok());
  EXPECT_EQ(trial.samples_us, (Samples{2000, 2500, 3000}));
  EXPECT_EQ(trial.objective, 2500);
  EXPECT_EQ(trial.timing.median_us, 2500);
  EXPECT_DOUBLE_EQ(trial.compile_s, 0.1);
  EXPECT_DOUBLE_EQ(trial.run_s, 0.0225);
}

TEST(RecordingFile, a_mean_without_single_times_is_one_sample) {
  const Recording recording = read(kCache);
  const Trial& trial = trial_of(recording, "narrow", 32);
  EXPECT_EQ(trial.samples_us, (Samples{4000}));
  EXPECT_EQ(trial.objective, 4000);
  EXPECT_DOUBLE_EQ(cost_s(trial), 0.1);
}

TEST(RecordingFile, failures_keep_their_kind_and_their_cost) {
  const Recording recording = read(kCache);
  EXPECT_EQ(trial_of(recording, "wide", 128).status, Status::compile_failed);
  EXPECT_DOUBLE_EQ(cost_s(trial_of(recording, "wide", 128)), 0.05);
  EXPECT_EQ(trial_of(recording, "narrow", 128).status, Status::launch_failed);
  EXPECT_EQ(trial_of(recording, "narrow", 64).status, Status::launch_failed);
  EXPECT_EQ(trial_of(recording, "wide", 32).status, Status::invalid);
  EXPECT_EQ(trial_of(recording, "wide", 32).message, "InvalidConfig");
}

// Kernel Tuner has a key for the error. Older versions wrote the error as the time.
TEST(RecordingFile, an_error_in_place_of_a_time_is_a_failure) {
  std::string text(kCache);
  const std::string old_form = R"("time": "CompilationFailedConfig")";
  text.replace(text.find(old_form), old_form.size(), R"("__error__": "CompilationFailedConfig")");
  EXPECT_EQ(trial_of(read(text), "wide", 128).status, Status::compile_failed);
  EXPECT_EQ(trial_of(read(text), "wide", 128).message, "CompilationFailedConfig");
  EXPECT_NE(error_with(old_form, R"("__error__": 3)").find("'__error__' is not a text"), std::string::npos);
  EXPECT_NE(error_with(old_form, R"("__error__": "")").find("'time' is missing"), std::string::npos);
}

TEST(RecordingFile, the_cache_of_an_interrupted_run_is_read_without_its_end) {
  const std::string whole(kCache);
  for (const std::string_view end : {",\n", "\n", ""}) {
    const std::string cut = whole.substr(0, whole.rfind("},\n    \"wide,32\"") + 1) + std::string(end);
    EXPECT_EQ(read(cut).trials.size(), 5u) << end;
  }
  EXPECT_TRUE(contains(error_of(whole.substr(0, whole.size() / 2)), "it is not JSON"));
}

TEST(RecordingFile, t4_results_have_statuses_times_and_costs) {
  const Recording recording = read(kT4);
  EXPECT_EQ(recording.kernel, "copy-A");
  EXPECT_EQ(recording.device.name, "copy-A");
  ASSERT_EQ(recording.trials.size(), 3u);
  EXPECT_EQ(recording.trials[0].status, Status::timed_out);
  EXPECT_DOUBLE_EQ(cost_s(recording.trials[0]), 0.02);
  EXPECT_EQ(recording.trials[1].status, Status::wrong_result);
  EXPECT_EQ(recording.trials[1].config, (Config{{"block", 8}, {"fast", false}}));
  EXPECT_EQ(recording.parameters[0].values, (std::vector<Value>{8, 32, 64}));
}

TEST(RecordingFile, the_last_of_two_t4_results_of_a_configuration_counts) {
  const Recording recording = read(kT4);
  EXPECT_EQ(recording.trials[2].config, (Config{{"block", 64}, {"fast", true}}));
  EXPECT_EQ(recording.trials[2].objective, 5);
}

TEST(RecordingFile, a_compressed_file_is_read) {
  ScratchFolder folder;
  write_compressed(folder.path("copy.json.gz"), std::string(kCache));
  const auto recording = read_recording(folder / "copy.json.gz");
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->name, "copy");
  EXPECT_EQ(recording->trials.size(), 6u);
}

TEST(RecordingFile, a_file_that_is_not_a_recording_is_an_error) {
  EXPECT_TRUE(contains(error_of(" \n"), "r.json: it is empty"));
  EXPECT_TRUE(contains(error_of("{\"cache\": {]"), "it is not JSON: parse error at line 1"));
  const std::string neither =
      "r.json: it has neither the 'cache' of a Kernel Tuner file nor the 'results' of a T4 file";
  EXPECT_EQ(error_of("[]"), neither);
  EXPECT_EQ(error_of("{}"), neither);
  EXPECT_EQ(error_of("3"), neither);
  EXPECT_TRUE(contains(error_of(std::string(100'000, '[')), "it is not JSON"));
}

TEST(RecordingFile, missing_fields_are_errors) {
  EXPECT_EQ(error_of(R"({"cache": {}})"), "r.json: 'tune_params' is missing");
  EXPECT_EQ(error_of(R"({"cache": {}, "tune_params": {"x": [1]}, "tune_params_keys": ["x"]})"),
            "r.json: no configuration is recorded");
  EXPECT_EQ(error_of(R"({"results": []})"), "r.json: no configuration is recorded");
  EXPECT_EQ(error_with("\"tune_params_keys\"", "\"keys\""), "r.json: 'tune_params_keys' is missing");
  EXPECT_EQ(error_with("\"block\": 64, ", ""), "r.json: the configuration 'wide,64': 'block' is missing");
  EXPECT_EQ(error_with("\"time\": 2.5, ", ""), "r.json: the configuration 'wide,64': 'time' is missing");
  EXPECT_EQ(error_with("\"block\": [128", "\"blocks\": [128"), "r.json: 'block' is missing");
  EXPECT_EQ(error_of(R"({"results": [{"configuration": {"x": 1}}]})"),
            "r.json: result 1: 'invalidity' is missing");
  EXPECT_EQ(
      error_of(R"({"results": [{"configuration": {"x": 1}, "invalidity": "correct", "measurements": []}]})"),
      "r.json: result 1: no measurement is called 'time'");
}

TEST(RecordingFile, fields_of_the_wrong_kind_are_errors) {
  EXPECT_EQ(error_with("[2.0, 2.5, 3.0]", "2"),
            "r.json: the configuration 'wide,64': 'times' is not an array");
  EXPECT_EQ(error_with("[2.0, 2.5, 3.0]", "[\"2\"]"),
            "r.json: the configuration 'wide,64': 'times' is not a number");
  EXPECT_EQ(error_with("\"time\": 2.5", "\"time\": [2.5]"),
            "r.json: the configuration 'wide,64': 'time' is not a number");
  EXPECT_EQ(
      error_with("\"block\": 64, ", "\"block\": [64], "),
      "r.json: the configuration 'wide,64': the value of 'block' is neither a number nor a text, true or "
      "false");
  EXPECT_EQ(error_of(R"({"cache": [], "tune_params": {"x": [1]}, "tune_params_keys": ["x"]})"),
            "r.json: 'cache' is not an object");
  EXPECT_EQ(error_of(R"({"results": [7]})"), "r.json: result 1: 'configuration' is missing");
  EXPECT_EQ(error_of(R"({"results": [{"configuration": {"x": 1}, "invalidity": "odd"}]})"),
            "r.json: result 1: 'invalidity' is 'odd', not correct, timeout, compile, runtime, correctness or "
            "constraints");
  EXPECT_EQ(error_of(R"({"results": [{"configuration": {"x": 1}, "invalidity": "compile"},
                                     {"configuration": {"y": 1}, "invalidity": "compile"}]})"),
            "r.json: configuration y=1 has no value of 'x'");
}

TEST(RecordingFile, impossible_numbers_are_errors) {
  EXPECT_EQ(error_with("\"compile_time\": 100.0", "\"compile_time\": -1"),
            "r.json: the configuration 'wide,64': 'compile_time' is -1, not an amount");
  EXPECT_EQ(error_with("\"time\": 2.5", "\"time\": 0"),
            "r.json: the configuration 'wide,64': 'time' is not positive");
  EXPECT_TRUE(contains(error_with("\"time\": 2.5", "\"time\": 1e999"), "it is not JSON: number overflow"));
  EXPECT_EQ(
      error_with("\"block\": 64, ", "\"block\": 18446744073709551615, "),
      "r.json: the configuration 'wide,64': the value 18446744073709551615 of 'block' does not fit in 64 "
      "bits");
}

}  // namespace
}  // namespace gktune
