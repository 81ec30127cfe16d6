#include "engine/import/recording_exchange.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "db/store/sqlite_store.h"
#include "tests/scratch_folder.h"
#include "tuner/recording/text_file.h"

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

TEST_F(RecordingExchange, a_cache_of_kernel_tuner_comes_back_value_for_value) {
  EXPECT_EQ(round_trip(write("cache.json", kOldCache), RecordingFormat::kernel_tuner), nlohmann::json::parse(kOldCache));
}

TEST_F(RecordingExchange, results_in_t4_come_back_value_for_value) {
  EXPECT_EQ(round_trip(write("t4.json", kResults), RecordingFormat::t4), nlohmann::json::parse(kResults));
}

TEST_F(RecordingExchange, a_cache_can_be_written_as_t4_and_back) {
  const auto results = round_trip(write("cache.json", kOldCache), RecordingFormat::t4);
  ASSERT_EQ(results["results"].size(), 4u);
  const auto cache = round_trip(write("t4.json", results.dump()), RecordingFormat::kernel_tuner);
  EXPECT_EQ(cache["cache"].size(), 4u);
  EXPECT_EQ(cache["cache"]["64,wide"]["time"], 2.5);
}

TEST_F(RecordingExchange, the_same_file_may_come_again) {
  const auto file = write("cache.json", kOldCache);
  const fs::path database = scratch_ / "gktune.db";
  EXPECT_EQ(import_recording(database, file)->trials, 4);
  EXPECT_EQ(import_recording(database, file)->known_trials, 4);
  auto store = std::move(*open_sqlite_store(database, StoreAccess::read));
  const auto best = *store->best("copy");
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].trial.config, (Config{{"block", 64}, {"way", "wide"}}));
  EXPECT_EQ(best[0].study.device.name, "Card A");
}

TEST_F(RecordingExchange, bad_files_are_errors) {
  for (const char* text : {"", "{", "[]", "{\"cache\": {}}", "{\"results\": 3}"}) {
    EXPECT_FALSE(import_recording(scratch_ / "gktune.db", write("bad.json", text)).ok()) << text;
  }
  EXPECT_FALSE(import_recording(scratch_ / "gktune.db", scratch_ / "none.json").ok());
  EXPECT_FALSE(export_recording(scratch_ / "none.db", 1, RecordingFormat::t4).ok());
}

// GKTUNE_RECORDINGS names a folder of recordings.
TEST_F(RecordingExchange, real_recordings_come_back_value_for_value) {
  const char* folder = std::getenv("GKTUNE_RECORDINGS");
  if (folder == nullptr) GTEST_SKIP() << "GKTUNE_RECORDINGS names no folder";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().string().ends_with(".json.gz")) files.push_back(entry.path());
  }
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    EXPECT_EQ(round_trip(file, RecordingFormat::kernel_tuner), nlohmann::json::parse(*read_text_file(file))) << file;
  }
}

// Needs the Python package kernel_tuner.
TEST_F(RecordingExchange, kernel_tuner_reads_the_cache) {
  if (std::system("python3 -c 'import kernel_tuner' >/dev/null 2>&1") != 0) GTEST_SKIP() << "Kernel Tuner is not installed";
  round_trip(write("t4.json", kResults), RecordingFormat::kernel_tuner);
  const auto file =
      write("written.json", *export_recording(scratch_ / "gktune.db", 1, RecordingFormat::kernel_tuner));
  const auto script = write("read.py", R"(
import sys
from kernel_tuner.util import read_cache
cache = read_cache(sys.argv[1], open_cache=False)
assert cache["kernel_name"] == "t4" and cache["tune_params_keys"] == ["block", "fast"], cache
assert cache["cache"]["64,true"]["time"] == 3.0, cache
)");
  EXPECT_EQ(std::system(("python3 '" + script.string() + "' '" + file.string() + "'").c_str()), 0);
}

}  // namespace
}  // namespace gktune
