// The completion scripts in their shells, with the real program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "program_process.h"
#include "tests/example_database.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class ShellCompletion : public ::testing::Test {
 protected:
  ShellCompletion() { make_example_database(scratch_ / "gktune.db"); }

  ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_ / "";
};

// Calls bash's completion function with the variables that bash sets.
std::string completed_by_bash(const std::filesystem::path& folder, const std::string& line) {
  std::ofstream(folder / "try.bash") << "source <(gktune completions bash)\n"
                                     << "COMP_LINE='" << line << "' COMP_POINT=${#COMP_LINE}\n"
                                     << "_gktune 2>/dev/null\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  EXPECT_EQ(ShellProcess(folder, "bash try.bash").wait(), 0);
  return contents_of(folder / "out");
}

TEST_F(ShellCompletion, bash_completes_words_after_its_word_breaks) {
  EXPECT_EQ(completed_by_bash(folder_, "gktune exe"), "exec\n");
  EXPECT_EQ(completed_by_bash(folder_, "gktune best "), "reduce\n");
  EXPECT_EQ(completed_by_bash(folder_, "gktune run --regime=h"), "hot\n");
  EXPECT_EQ(completed_by_bash(folder_, "gktune run --device cuda:a"), "all\n");
  std::ofstream(folder_ / "one.yaml") << "";
  EXPECT_EQ(completed_by_bash(folder_, "gktune run on"), "one.yaml\n");
}

TEST_F(ShellCompletion, zsh_and_fish_accept_their_scripts) {
  for (const char* shell : {"zsh", "fish"}) {
    const std::string name = shell;
    if (ShellProcess(folder_, "command -v " + name).wait() != 0) continue;
    EXPECT_EQ(ShellProcess(folder_, "gktune completions " + name + " > script && exec " + name + " -n script")
                  .wait(),
              0)
        << contents_of(folder_ / "err");
  }
  if (ShellProcess(folder_, "command -v zsh").wait() == 0) {
    std::ofstream(folder_ / "try.zsh") << "compdef() { : }\ncompadd() { print -rl -- $names }\n"
                                       << "source <(gktune completions zsh)\n"
                                       << "words=(gktune best '') CURRENT=3\n_gktune\n";
    EXPECT_EQ(ShellProcess(folder_, "zsh -f try.zsh").wait(), 0);
    EXPECT_EQ(contents_of(folder_ / "out"), "reduce\n");
  }
  if (ShellProcess(folder_, "command -v fish").wait() != 0) GTEST_SKIP() << "no fish here";
  std::ofstream(folder_ / "try.fish") << "gktune completions fish | source\ncomplete -C 'gktune best '\n";
  EXPECT_EQ(ShellProcess(folder_, "fish --no-config try.fish").wait(), 0);
  EXPECT_EQ(contents_of(folder_ / "out"), "reduce\n");
}

}  // namespace
}  // namespace gktune
