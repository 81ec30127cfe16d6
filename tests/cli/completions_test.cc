#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "call.h"
#include "cli/completion_script.h"

namespace gktune {
namespace {

// A program small enough to see all of.
CompletionCommand small_program() {
  CLI::App app("", "gktune");
  CLI::App* run = app.add_subcommand("run", "Tune a kernel's space");
  std::string text;
  bool flag = false;
  run->add_option("SPACE", text, "A space file")->type_name("FILE");
  run->add_option("--regime", text, "Caches")->type_name("cold|hot|other[:N]");
  run->add_flag("--json", flag, "As JSON");
  app.add_subcommand("secret", "")->group("");
  return completions_of(app);
}

TEST(Completions, are_taken_from_the_definitions) {
  CompletionCommand program = small_program();
  ASSERT_EQ(program.children.size(), 1u);
  const CompletionCommand& run = program.children.front();
  EXPECT_EQ(run.path, "run");
  ASSERT_EQ(run.words.size(), 4u);  // with --help
  EXPECT_TRUE(run.words[1].takes_file);
  EXPECT_TRUE(run.words[1].names.empty());
  EXPECT_EQ(run.words[2].choices, (std::vector<std::string>{"cold", "hot"}));
  EXPECT_TRUE(run.words[2].takes_value);
  EXPECT_FALSE(run.words[3].takes_value);
}

TEST(Completions, bash_offers_commands_flags_and_choices) {
  std::string script = completion_script(small_program(), Shell::bash);
  EXPECT_NE(script.find("'/run') command='run' ;;"), std::string::npos);
  EXPECT_NE(script.find("'run/--regime') COMPREPLY=($(compgen -W 'cold hot' -- \"$current\")); return ;;"),
            std::string::npos);
  EXPECT_NE(script.find("'run') words='--help -h --regime --json' files=yes ;;"), std::string::npos)
      << script;
}

TEST(Completions, zsh_and_fish_know_the_words_too) {
  std::string zsh = completion_script(small_program(), Shell::zsh);
  EXPECT_NE(zsh.find("'run:Tune a kernel'\\''s space'"), std::string::npos) << zsh;
  EXPECT_NE(zsh.find("'--regime[Caches]:value:(cold hot)'"), std::string::npos) << zsh;
  std::string fish = completion_script(small_program(), Shell::fish);
  EXPECT_NE(fish.find("-n '__fish_seen_subcommand_from run' -l regime -x -a 'cold hot' -d 'Caches'"),
            std::string::npos)
      << fish;
}

TEST(Completions, hidden_commands_stay_hidden) {
  for (Shell shell : {Shell::bash, Shell::zsh, Shell::fish}) {
    EXPECT_EQ(completion_script(small_program(), shell).find("secret"), std::string::npos);
  }
}

TEST(Completions, an_unknown_shell_is_a_usage_error) {
  Call tcsh = call({"completions", "tcsh"});
  EXPECT_EQ(tcsh.code, ExitCode::usage);
  EXPECT_EQ(
      tcsh.err,
      "error: no completions for 'tcsh'; there are bash, zsh, fish\n  hint: gktune completions --help\n");
}

TEST(Completions, each_shell_has_a_script) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    Call script = call({"completions", shell});
    EXPECT_EQ(script.code, ExitCode::done);
    EXPECT_NE(script.out.find("completion of gktune"), std::string::npos);
    EXPECT_EQ(script.err, "");
  }
}

}  // namespace
}  // namespace gktune
