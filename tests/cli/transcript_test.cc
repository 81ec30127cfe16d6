// The program as its user sees it: each file under transcripts/ holds commands ("$ …") and what they have to
// print, standard error after standard output and marked "2> ", then the exit code in brackets where it is
// not 0. What differs from run to run is written <*>.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/example_database.h"
#include "program_process.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

struct Step {
  std::string command;
  std::vector<std::string> expected;
};

std::vector<Step> read_transcript(const fs::path& path) {
  std::vector<Step> steps;
  for (const std::string& line : lines_of(contents_of(path))) {
    if (line.starts_with("$ ")) {
      steps.push_back({line.substr(2), {}});
    } else if (!steps.empty()) {
      steps.back().expected.push_back(line);
    }
  }
  return steps;
}

std::vector<std::string> play(const fs::path& folder, const std::string& command) {
  const int code = ShellProcess(folder, command).wait();
  std::vector<std::string> lines = lines_of(contents_of(folder / "out"));
  for (const std::string& line : lines_of(contents_of(folder / "err"))) lines.push_back("2> " + line);
  if (code != 0) lines.push_back("[" + std::to_string(code) + "]");
  return lines;
}

bool matches(std::string_view line, std::string_view pattern) {
  std::size_t hole = pattern.find("<*>");
  if (hole == std::string_view::npos) return line == pattern;
  if (!line.starts_with(pattern.substr(0, hole))) return false;
  line.remove_prefix(hole);
  pattern.remove_prefix(hole + 3);
  for (std::size_t skipped = 0; skipped <= line.size(); ++skipped) {
    if (matches(line.substr(skipped), pattern)) return true;
  }
  return false;
}

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(GKTUNE_SOURCE_DIR "/tests/cli/transcripts")) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class Transcript : public ::testing::TestWithParam<std::string> {};

TEST_P(Transcript, matches_what_the_program_prints) {
  const ScratchFolder scratch;
  const fs::path& folder = scratch.path();
  fs::copy(GKTUNE_SOURCE_DIR "/tests/cli/spaces", folder, fs::copy_options::recursive);
  make_example_database((folder / "example.db").string());
  make_stale_database((folder / "stale.db").string());

  for (const Step& step :
       read_transcript(GKTUNE_SOURCE_DIR "/tests/cli/transcripts/" + GetParam() + ".txt")) {
    std::vector<std::string> printed = play(folder, step.command);
    EXPECT_TRUE(std::ranges::equal(printed, step.expected, matches)) << "$ " << step.command << "\nprinted:\n"
                                                                     << joined(printed) << "expected:\n"
                                                                     << joined(step.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, Transcript, ::testing::ValuesIn(transcripts()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace gktune
