// The folder for compiled code: damaged, left behind by killed runs, and in unsafe places.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "program_process.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(GKTUNE_SOURCE_DIR "/tests/cli/spaces", folder_.path(), fs::copy_options::recursive);
    fs::create_directory(folder_ / "tmp");
  }

  std::string run(const std::string& database) const {
    return "TMPDIR=\"$PWD/tmp\" exec gktune run twice.yaml --device host --jobs 1 --cache cache --db " +
           database;
  }

  int result_of(const std::string& command) const { return ShellProcess(folder_.path(), command).wait(); }

  std::vector<fs::path> files_in(const std::string& folder) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }

  // No temporary file of a run.
  void expect_no_leftovers() const {
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
      const std::string name = entry.path().filename().string();
      EXPECT_FALSE(name.starts_with("run-") || name.find(".new") != name.npos) << name;
    }
  }

  ScratchFolder folder_;
};

TEST_F(Cache, gives_the_same_results_after_every_file_is_damaged) {
  ASSERT_EQ(result_of(run("first.db")), 0) << contents_of(folder_ / "err");
  expect_no_leftovers();
  int round = 0;
  for (const std::string& damage : {std::string(), std::string("#error damaged\n")}) {
    const std::vector<fs::path> files = files_in("cache");
    ASSERT_GT(files.size(), 3u);
    for (const fs::path& file : files) std::ofstream(file, std::ios::binary) << damage;
    EXPECT_EQ(result_of(run("again" + std::to_string(++round) + ".db")), 0) << contents_of(folder_ / "err");
    const std::string out = contents_of(folder_ / "out");
    EXPECT_NE(out.find("times from the playoff: 2 configurations"), std::string::npos) << out;
    EXPECT_EQ(out.find("fail"), std::string::npos) << out;
    for (const fs::path& file : files) {
      // Code that no entry names stays until the cache is full.
      if (file.extension() == ".code") continue;
      EXPECT_NE(contents_of(file), damage) << file;
    }
  }
}

TEST_F(Cache, is_cleaned_by_the_run_after_a_kill) {
  {
    ShellProcess killed(folder_.path(), run("first.db"));
    for (int i = 0; i < 2000 && (!fs::exists(folder_ / "cache") || files_in("cache").empty()); ++i)
      std::this_thread::sleep_for(10ms);
    killed.signal(SIGKILL);
    killed.wait();
  }
  ASSERT_EQ(result_of(run("second.db")), 0) << contents_of(folder_ / "err");
  expect_no_leftovers();
}

TEST_F(Cache, is_refused_if_others_can_write_it) {
  fs::create_directory(folder_ / "cache");
  ASSERT_EQ(chmod((folder_ / "cache").c_str(), 0777), 0);
  EXPECT_EQ(result_of(run("first.db")), 1);
  const std::string err = contents_of(folder_ / "err");
  EXPECT_NE(err.find("the folder for compiled code is not safe: everyone can write to "), std::string::npos)
      << err;
  EXPECT_NE(err.find("--cache names another folder"), std::string::npos) << err;
  EXPECT_TRUE(files_in("cache").empty());
}

}  // namespace
}  // namespace gktune
