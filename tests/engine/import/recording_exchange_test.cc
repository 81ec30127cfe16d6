#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "db/database.h"
#include "db/sqlite/connection.h"
#include "engine/import/recordings.h"
#include "tests/db/example_study.h"
#include "tests/python.h"
#include "tests/scratch_folder.h"
#include "tuner/recording/recording.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOldCache = R"({
  "device_name": "Card A", "kernel_name": "copy", "problem_size": [64, 32], "objective": "time", "mine": null,
  "tune_params_keys": ["way", "block"], "tune_params": {"way": ["wide", "narrow"], "block": [128, 64, 32, 16]},
  "cache": {
    "wide,64": {"way": "wide", "block": 64, "time": 2.5, "times": [2.0, 2.5, 3.1], "compile_time": 100.1,
                "verification_time": 10, "framework_time": 5, "GFLOP/s": 7.25, "timestamp": "2023-01-26 01:05:09.73+00:00"},
    "narrow,32": {"way": "narrow", "block": 32, "time": 4, "compile_time": 100.0, "extra": {"a": [1, null]}},
    "wide,128": {"way": "wide", "block": 128, "time": "CompilationFailedConfig", "verification_time": null},
    "narrow,64": {"way": "narrow", "block": 64, "time": 1e20}
  }
})";

constexpr std::string_view kResults = R"({
  "schema_version": "1.0.0", "metadata": {"who": "me"},
  "results": [
    {"configuration": {"block": 64, "fast": true}, "invalidity": "correct", "objectives": ["time"],
     "times": {"compilation": 100, "runtimes": [2, 4], "validation": 10, "framework": 1, "benchmark": 6},
     "measurements": [{"name": "GFLOP/s", "value": 7, "unit": ""}, {"name": "time", "value": 3, "unit": "ms"}]},
    {"configuration": {"fast": false, "block": 32}, "invalidity": "timeout", "times": {"compilation_time": 20}},
    {"configuration": {"fast": false, "block": 8}, "invalidity": "correctness"}
  ]
})";

class RecordingExchange : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, std::string_view text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  nlohmann::json round_trip(const fs::path& file, RecordingFormat format) const {
    const fs::path database = scratch_ / "gktune.db";
    fs::remove(database);
    const auto merged = import_recording(database, file);
    EXPECT_TRUE(merged.ok()) << merged.error().message;
    const auto text = export_recording(database, 1, format);
    EXPECT_TRUE(text.ok()) << text.error().message;
    return nlohmann::json::parse(text ? *text : "null");
  }
  ScratchFolder scratch_;
};

TEST_F(RecordingExchange, a_cache_of_kernel_tuner_is_exported_with_all_its_values) {
  EXPECT_EQ(round_trip(write("cache.json", kOldCache), RecordingFormat::kernel_tuner),
            nlohmann::json::parse(kOldCache));
}

TEST_F(RecordingExchange, t4_results_are_exported_with_all_their_values) {
  EXPECT_EQ(round_trip(write("t4.json", kResults), RecordingFormat::t4), nlohmann::json::parse(kResults));
}

TEST_F(RecordingExchange, a_tuning_that_lost_a_trial_is_exported_without_it) {
  const fs::path database = scratch_ / "gktune.db";
  ASSERT_TRUE(import_recording(database, write("cache.json", kOldCache)).ok());
  sqlite::Connection(database, sqlite::Connection::Access::create, std::chrono::seconds(1))
      .execute("DELETE FROM trials WHERE id = 1");
  const auto text = export_recording(database, 1, RecordingFormat::kernel_tuner);
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(nlohmann::json::parse(*text)["cache"].size(), 3u);
}

TEST_F(RecordingExchange, a_cache_can_be_converted_to_t4_and_back) {
  const auto results = round_trip(write("cache.json", kOldCache), RecordingFormat::t4);
  ASSERT_EQ(results["results"].size(), 4u);
  const auto cache = round_trip(write("t4.json", results.dump()), RecordingFormat::kernel_tuner);
  EXPECT_EQ(cache["cache"].size(), 4u);
  EXPECT_EQ(cache["cache"]["64,wide"]["time"], 2.5);
}

TEST_F(RecordingExchange, the_same_file_can_be_imported_again) {
  const auto file = write("cache.json", kOldCache);
  const fs::path database = scratch_ / "gktune.db";
  EXPECT_EQ(import_recording(database, file)->trials, 4);
  EXPECT_EQ(import_recording(database, file)->known_trials, 4);
  auto store = std::move(*Database::open(database, Database::Access::read));
  const auto best = *store->winners("copy");
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].trial.config, (Config{{"block", 64}, {"way", "wide"}}));
  EXPECT_EQ(best[0].study.device.name, "Card A");
}

TEST_F(RecordingExchange, imported_trials_are_ranked_by_their_median) {
  const auto file = write("cache.json", R"({
    "device_name": "Card A", "kernel_name": "copy", "tune_params_keys": ["block"], "tune_params": {"block": [1, 2]},
    "cache": {"1": {"block": 1, "time": 5, "times": [2, 2, 11]}, "2": {"block": 2, "time": 3, "times": [3, 3, 3]}}
  })");
  ASSERT_TRUE(import_recording(scratch_ / "gktune.db", file).ok());
  const auto best = *(*Database::open(scratch_ / "gktune.db", Database::Access::read))->winners("copy");
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].trial.config, (Config{{"block", 1}}));
  EXPECT_EQ(best[0].trial.objective, 2000);
}

TEST_F(RecordingExchange, bad_files_are_errors) {
  for (const char* text : {"", "{", "[]", "{\"cache\": {}}", "{\"results\": 3}"}) {
    EXPECT_FALSE(import_recording(scratch_ / "gktune.db", write("bad.json", text)).ok()) << text;
  }
  EXPECT_FALSE(import_recording(scratch_ / "gktune.db", scratch_ / "none.json").ok());
  EXPECT_FALSE(export_recording(scratch_ / "none.db", 1, RecordingFormat::t4).ok());
}

// The recordings of the project, two of them written by Kernel Tuner, and those
// of others if they are available.
std::vector<std::string> recordings() {
  std::vector<std::string> files;
  for (const char* folder : {"bench/recordings", "tests/recording/kernel_tuner", "../shared/replay"}) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(fs::path(GKTUNE_SOURCE_DIR) / folder, missing)) {
      const std::string file = entry.path().string();
      if (file.ends_with(".json") || file.ends_with(".json.gz")) files.push_back(file);
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  const fs::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.filename().string();
  name.erase(name.find(".json"));
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

// About a hundred configurations from all parts of a recording, because a large recording takes a minute.
// GKTUNE_WHOLE_RECORDINGS=1 keeps all.
nlohmann::json thinned(const nlohmann::json& recording, const char* trials) {
  const std::size_t count = recording[trials].size(), step = std::max<std::size_t>(1, count / 100);
  if (step == 1 || std::getenv("GKTUNE_WHOLE_RECORDINGS") != nullptr) return recording;
  nlohmann::json few = recording;
  few[trials].clear();
  std::size_t place = 0;
  for (const auto& [key, trial] : recording[trials].items()) {
    if (place++ % step != 0) continue;
    if (few[trials].is_array()) {
      few[trials].push_back(trial);
    } else {
      few[trials][key] = trial;
    }
  }
  return few;
}

class RealRecording : public RecordingExchange, public testing::WithParamInterface<std::string> {};

TEST_P(RealRecording, is_exported_with_all_its_values_also_from_t4) {
  const auto text = read_text_file(GetParam());
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto whole = nlohmann::json::parse(*text);
  const bool is_cache = whole.contains("cache");
  const auto recording = thinned(whole, is_cache ? "cache" : "results");
  const auto file = write("recording.json", recording.dump());
  EXPECT_EQ(round_trip(file, is_cache ? RecordingFormat::kernel_tuner : RecordingFormat::t4), recording);
  // The database that was read becomes results in T4, and these another database.
  const auto results =
      nlohmann::json::parse(*export_recording(scratch_ / "gktune.db", 1, RecordingFormat::t4));
  EXPECT_EQ(results["results"].size(), recording[is_cache ? "cache" : "results"].size());
  EXPECT_EQ(round_trip(write("t4.json", results.dump()), RecordingFormat::t4), results);
}

INSTANTIATE_TEST_SUITE_P(All, RealRecording, testing::ValuesIn(recordings()), name_of);

const std::string kOfKernelTuner = GKTUNE_SOURCE_DIR "/tests/recording/kernel_tuner/sum";

// Kernel Tuner wrote one tuning in both formats.
TEST_F(RecordingExchange, the_t4_results_of_a_cache_equal_those_of_kernel_tuner) {
  const auto ours = round_trip(kOfKernelTuner + ".cache.json", RecordingFormat::t4)["results"];
  const auto theirs = nlohmann::json::parse(*read_text_file(kOfKernelTuner + ".t4.json"))["results"];
  ASSERT_EQ(ours.size(), theirs.size());
  const auto time_of = [](const nlohmann::json& result) -> nlohmann::json {
    for (const auto& each : result["measurements"]) {
      if (each["name"] == "time") return each;
    }
    return {};
  };
  const auto expect_near = [](const nlohmann::json& a, const nlohmann::json& b) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-9 * std::abs(b.get<double>()));
  };
  for (const auto& result : theirs) {
    const auto own = std::ranges::find_if(
        ours, [&](const auto& each) { return each["configuration"] == result["configuration"]; });
    ASSERT_NE(own, ours.end()) << result;
    EXPECT_EQ((*own)["invalidity"], result["invalidity"]) << result;
    expect_near((*own)["times"]["compilation"], result["times"]["compilation"]);
    ASSERT_EQ((*own)["times"]["runtimes"].size(), result["times"]["runtimes"].size()) << result;
    for (std::size_t i = 0; i < result["times"]["runtimes"].size(); ++i)
      expect_near((*own)["times"]["runtimes"][i], result["times"]["runtimes"][i]);
    const auto our_time = time_of(*own), their_time = time_of(result);
    ASSERT_EQ(our_time.is_null(), their_time.is_null()) << result;
    if (their_time.is_null()) continue;
    EXPECT_EQ(our_time["unit"], their_time["unit"]);
    expect_near(our_time["value"], their_time["value"]);
  }
}

// A study with a trial of each status and metrics of each kind.
std::string t4_of_all_statuses(const fs::path& database) {
  auto store = std::move(*Database::open(database, Database::Access::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  const auto study = *store->study_id(reduce_study());
  for (int i = 0; i <= static_cast<int>(kLastStatus); ++i) {
    const auto status = static_cast<Status>(i);
    const Config config{{"a", i}, {"f", 0.5}, {"on", true}, {"way", "one \"pass\""}};
    Trial trial = status == Status::ok ? ok_trial(config, 12) : failed_trial(config, status);
    if (trial.ok())
      trial.metrics = {{"GB/s", 3.5}, {"steps", 7}, {"none", std::numeric_limits<double>::quiet_NaN()}};
    EXPECT_TRUE(store->add_trial(study, session, trial).ok());
  }
  const auto text = export_recording(database, study, RecordingFormat::t4);
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text ? *text : "";
}

TEST_F(RecordingExchange, a_metric_that_is_not_a_number_is_left_out) {
  const auto results = nlohmann::json::parse(t4_of_all_statuses(scratch_ / "gktune.db"))["results"];
  EXPECT_EQ(results.size(), static_cast<std::size_t>(kLastStatus) + 1);
  const auto of_ok =
      std::ranges::find_if(results, [](const auto& each) { return each["invalidity"] == "correct"; });
  ASSERT_NE(of_ok, results.end());
  std::vector<std::string> names;
  for (const auto& each : (*of_ok)["measurements"]) names.push_back(each["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"time", "GB/s", "steps"}));
}

// Needs the Python packages kernel_tuner, which brings the schema of T4, and jsonschema.
TEST_F(RecordingExchange, t4_results_are_valid_by_the_schema_of_kernel_tuner) {
  if (!python_has("kernel_tuner") || !python_has("jsonschema"))
    GTEST_SKIP() << "Kernel Tuner is not installed";
  const auto all = write("all.json", t4_of_all_statuses(scratch_ / "all.db"));
  round_trip(kOfKernelTuner + ".cache.json", RecordingFormat::t4);
  const auto sum = write("sum.json", *export_recording(scratch_ / "gktune.db", 1, RecordingFormat::t4));
  const std::string script = R"(
import copy, importlib.util, json, os, sys
from jsonschema import Draft202012Validator
package = importlib.util.find_spec("kernel_tuner").submodule_search_locations[0]
validators = []
for name in ("results", "metadata"):
    schema = json.load(open(os.path.join(package, "schema/T4/1.0.0", name + "-schema.json")))
    Draft202012Validator.check_schema(schema)
    validators.append(Draft202012Validator(schema))
for name, count in zip(sys.argv[1:], (19, 21)):
    file = json.load(open(name))
    assert file["schema_version"] == "1.0.0" and len(file["results"]) == count, (name, len(file["results"]))
    errors = [error.message for validator in validators for error in validator.iter_errors(file)]
    assert not errors, (name, errors)
    for key in ("configuration", "times", "invalidity", "correctness"):  # the validator sees what is missing
        damaged = copy.deepcopy(file)
        del damaged["results"][-1][key]
        assert not validators[0].is_valid(damaged), key
)";
  EXPECT_EQ(run_python(scratch_, script, {all.string(), sum.string()}), 0);
}

// Needs the Python package kernel_tuner.
TEST_F(RecordingExchange, kernel_tuner_reads_the_cache) {
  if (!python_has("kernel_tuner")) GTEST_SKIP() << "Kernel Tuner is not installed";
  round_trip(write("t4.json", kResults), RecordingFormat::kernel_tuner);
  const auto file =
      write("written.json", *export_recording(scratch_ / "gktune.db", 1, RecordingFormat::kernel_tuner));
  const std::string script = R"(
import sys
from kernel_tuner.util import RuntimeFailedConfig, read_cache
cache = read_cache(sys.argv[1], open_cache=False)
assert cache["kernel_name"] == "t4" and cache["tune_params_keys"] == ["block", "fast"], cache
assert cache["cache"]["64,true"]["time"] == 3.0, cache
assert isinstance(cache["cache"]["8,false"]["__error__"], RuntimeFailedConfig), cache
)";
  EXPECT_EQ(run_python(scratch_, script, {file.string()}), 0);
}

}  // namespace
}  // namespace gktune
