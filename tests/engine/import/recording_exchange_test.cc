#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "db/database.h"
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

class RecordingExchange : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, std::string_view text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  ScratchFolder scratch_;
};

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
}

TEST_F(RecordingExchange, a_study_is_exported_as_a_cache_file) {
  const fs::path database = scratch_ / "gktune.db";
  ASSERT_TRUE(import_recording(database, write("cache.json", kOldCache)).ok());
  const auto text = export_cache(database, 1);
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto file = nlohmann::json::parse(*text);
  EXPECT_EQ(file["device_name"], "Card A");
  EXPECT_EQ(file["tune_params"],
            nlohmann::json::parse(R"({"block": [32, 64, 128], "way": ["narrow", "wide"]})"));
  ASSERT_EQ(file["cache"].size(), 4u);
  const auto& measured = file["cache"]["64,wide"];
  EXPECT_EQ(measured["time"], 2.5);
  EXPECT_EQ(measured["times"], nlohmann::json::parse("[2.0, 2.5, 3.1]"));
  EXPECT_EQ(measured["way"], "wide");
  EXPECT_NEAR(measured["compile_time"].get<double>(), 100.1, 1e-9);
  EXPECT_EQ(file["cache"]["128,wide"]["time"], "CompilationFailedConfig");
  EXPECT_EQ(file["cache"]["64,narrow"]["time"], "RuntimeFailedConfig");
  EXPECT_TRUE(read_recording_text(*text, "again.json").ok());
  EXPECT_FALSE(export_cache(scratch_ / "none.db", 1).ok());
  EXPECT_FALSE(export_cache(database, 2).ok());
}

// Values that JSON does not have, and statuses that the file has not.
TEST_F(RecordingExchange, metrics_that_are_no_numbers_are_left_out_and_statuses_become_the_nearest) {
  const fs::path database = scratch_ / "gktune.db";
  auto store = std::move(*Database::open(database, Database::Access::write));
  const auto session = *store->begin_session({"0.1.0", "box", "gktune run", example_device()});
  const auto study = *store->study_id(reduce_study());
  Trial trial = ok_trial({{"a", 1}}, 12);
  trial.metrics = {{"GB/s", 3.5}, {"none", std::numeric_limits<double>::quiet_NaN()}};
  ASSERT_TRUE(store->add_trial(study, session, trial).ok());
  ASSERT_TRUE(store->add_trial(study, session, failed_trial({{"a", 2}}, Status::crashed)).ok());
  const auto cache = nlohmann::json::parse(*export_cache(database, study))["cache"];
  EXPECT_EQ(cache["1"]["GB/s"], 3.5);
  EXPECT_FALSE(cache["1"].contains("none"));
  EXPECT_EQ(cache["2"]["time"], "RuntimeFailedConfig");
}

// Needs the Python package kernel_tuner.
TEST_F(RecordingExchange, kernel_tuner_reads_the_cache) {
  if (!python_has("kernel_tuner")) GTEST_SKIP() << "Kernel Tuner is not installed";
  ASSERT_TRUE(import_recording(scratch_ / "gktune.db", write("cache.json", kOldCache)).ok());
  const auto file = write("written.json", *export_cache(scratch_ / "gktune.db", 1));
  const std::string script = R"(
import sys
from kernel_tuner.util import RuntimeFailedConfig, read_cache
cache = read_cache(sys.argv[1], open_cache=False)
assert cache["kernel_name"] == "copy" and cache["tune_params_keys"] == ["block", "way"], cache
assert cache["cache"]["64,wide"]["time"] == 2.5, cache
assert isinstance(cache["cache"]["64,narrow"]["__error__"], RuntimeFailedConfig), cache
)";
  EXPECT_EQ(run_python(scratch_, script, {file.string()}), 0);
}

}  // namespace
}  // namespace gktune
