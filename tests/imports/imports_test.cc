// Programs as people write them: gktune import makes a space file of each, which passes what is expected of
// it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

struct Program {
  std::string name;
  std::string
      expected;  // "passes", "passes, says: TEXT", "finds TEXT", "host says: TEXT", "import says: TEXT"
  std::string text;
};

// The programs of a file. The line `//@ name: expected` begins each.
std::vector<Program> programs_of(const std::filesystem::path& path) {
  std::vector<Program> programs;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//@ ")) {
      const std::size_t colon = line.find(": ");
      programs.push_back({line.substr(4, colon - 4), line.substr(colon + 2), ""});
    } else if (!programs.empty()) {
      programs.back().text += line + '\n';
    }
  }
  return programs;
}

std::vector<Program> all_programs() {
  std::vector<Program> all;
  for (const char* file : {"samples.cu", "hpc.cu", "learning.cu", "helpers.cu", "faults.cu"}) {
    const auto programs = programs_of(std::filesystem::path(GKTUNE_SOURCE_DIR) / "tests/imports" / file);
    EXPECT_FALSE(programs.empty()) << file;
    all.insert(all.end(), programs.begin(), programs.end());
  }
  return all;
}

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class Imports : public testing::TestWithParam<Program> {
 protected:
  CommandOutput gktune(std::vector<std::string> words) {
    words.insert(words.begin(), {"env", "NO_COLOR=1", "XDG_CACHE_HOME=" GKTUNE_TEST_CACHE, GKTUNE_PROGRAM});
    auto output = run_command(words);
    EXPECT_TRUE(output.ok()) << (output ? "" : output.error().message);
    return output ? *std::move(output) : CommandOutput();
  }

  // Returns the rest of the expectation after these words; empty if it does not begin with them.
  static std::string behind(const std::string& words) {
    const std::string& expected = GetParam().expected;
    return expected.starts_with(words) ? expected.substr(words.size()) : "";
  }

  // "name.cu:6" of the line that the program marks.
  static std::string marked_line() {
    const std::string& text = GetParam().text;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find("<- here"));
    return GetParam().name + ".cu:" + std::to_string(1 + std::count(text.begin(), end, '\n'));
  }

  ScratchFolder folder_;
};

TEST_P(Imports, end_as_expected) {
  folder_.write(GetParam().name + ".cu", GetParam().text);
  const std::string source = folder_.path(GetParam().name + ".cu"), space = folder_.path("space.yaml");
  const CommandOutput imported = gktune({"import", source, "-o", space});
  if (const std::string refusal = behind("import says: "); !refusal.empty()) {
    EXPECT_NE(imported.exit_code, 0);
    EXPECT_NE(imported.text.find(refusal), std::string::npos) << imported.text;
    return;
  }
  ASSERT_EQ(imported.exit_code, 0) << imported.text;
  std::stringstream written;
  written << std::ifstream(space).rdbuf();
  EXPECT_EQ(written.str().find("To decide"), std::string::npos) << written.str();
#ifdef GKTUNE_WITH_CUDA
  const CommandOutput compiled = gktune({"check", space, "--device", "sm_90", "--sample", "1"});
  EXPECT_EQ(compiled.exit_code, 0) << written.str() << compiled.text;
#endif
  const CommandOutput checked = gktune({"check", space, "--sanitize", "--sample", "1"});
  const std::string finding = behind("finds "), refusal = behind("host says: ") + behind("passes, says: ");
  EXPECT_EQ(checked.exit_code, GetParam().expected.starts_with("passes") ? 0 : 1)
      << written.str() << checked.text;
  if (!finding.empty()) {
    EXPECT_NE(checked.text.find(finding), std::string::npos) << written.str() << checked.text;
    EXPECT_NE(checked.text.find(marked_line()), std::string::npos) << marked_line() << '\n' << checked.text;
  }
  EXPECT_NE(checked.text.find(refusal), std::string::npos) << checked.text;
}

INSTANTIATE_TEST_SUITE_P(, Imports, testing::ValuesIn(all_programs()),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace gktune
