#include "cli/command.h"

#include <gtest/gtest.h>

#include "call.h"
#include "cli/output/screen.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

TEST(Program, the_version_names_the_devices_that_were_built_in) {
  Call version = call({"--version"});
  EXPECT_EQ(version.code, ExitCode::done);
  EXPECT_TRUE(version.out.starts_with("gktune 0.1.0 (devices: host")) << version.out;
  EXPECT_EQ(version.err, "");
}

TEST(Program, help_is_written_to_standard_output) {
  Call help = call({"--help"});
  EXPECT_EQ(help.code, ExitCode::done);
  EXPECT_NE(help.out.find("completions"), std::string::npos);
  EXPECT_EQ(help.err, "");
}

TEST(Program, each_command_has_help_with_an_example) {
  Call help = call({"completions", "--help"});
  EXPECT_EQ(help.code, ExitCode::done);
  EXPECT_NE(help.out.find("Example:\n  gktune completions bash"), std::string::npos) << help.out;
}

TEST(Program, the_help_command_and_the_help_flag_print_the_same) {
  EXPECT_EQ(call({"help"}).out, call({"--help"}).out);
  EXPECT_EQ(call({"help", "run"}).out, call({"run", "--help"}).out);
  EXPECT_EQ(call({"help", "db", "show"}).out, call({"db", "show", "--help"}).out);
  EXPECT_EQ(call({"help", "--help"}).code, ExitCode::done);
  EXPECT_TRUE(ended(call({"help", "rnu"}), ExitCode::usage,
                    "error: unknown command 'rnu', did you mean 'run'?\n  hint: gktune --help\n"));
}

TEST(Program, help_aligns_the_descriptions_of_flags) {
  const std::string help = call({"help", "best"}).out;
  const auto column_of = [&](const std::string& flag, const std::string& description) {
    const std::size_t begin = help.find("\n  " + flag) + 1;
    const std::string line = help.substr(begin, help.find('\n', begin) - begin);
    return columns_of(line.substr(0, line.find(description)));
  };
  EXPECT_EQ(column_of("--problem", "Problem:"), column_of("--device", "Device:")) << help;
}

TEST(Program, the_version_has_a_short_flag) { EXPECT_EQ(call({"-V"}).out, call({"--version"}).out); }

TEST(Program, a_quiet_command_prints_only_errors) {
  Call effort = call({"run", "nowhere.yaml", "--device", "host", "--effort", "quik"});
  EXPECT_EQ(effort.err,
            "error: --effort: 'quik' is neither quick, normal nor thorough, did you mean 'quick'?\n"
            "  hint: gktune run --help\n");
  Call quiet = call({"run", "nowhere.yaml", "--device", "host", "-q", "--regime", "warm"});
  EXPECT_EQ(quiet.err, "error: --regime: 'warm' is neither cold nor hot\n  hint: gktune run --help\n");
  std::ostringstream stream;
  Log log(stream, {});
  log.silence();
  log.info("running");
  log.hint("more");
  log.error("broken\n\n");
  EXPECT_EQ(stream.str(), "error: broken\n");
}

// A line of so many bytes is a mistake, whatever it comes from.
TEST(Program, errors_shorten_very_long_lines) {
  const std::string text(900'000, 'x');
  const ScratchFolder folder;
  folder.write("space.yaml", "kernel: k\nsource: " + text + "\n");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{text},
                                             {"run", "--" + text},
                                             {"run", "x.yaml", "--regime", text},
                                             {"run", text},
                                             {"run", folder.path("space.yaml"), "--device", "host"},
                                             {"check", "x.yaml", "--problem", text},
                                             {"best", "k", "--db", text},
                                             {"db", "show", text}}) {
    const Call refused = call(arguments);
    EXPECT_NE(refused.code, ExitCode::done);
    EXPECT_GT(refused.err.size(), 0u);
    EXPECT_LT(refused.err.size(), 4000u) << arguments.front() << ' ' << refused.err.substr(0, 200);
  }
}

TEST(Program, errors_in_a_file_are_shown_in_colour) {
  std::ostringstream err;
  const Screen screen{.is_terminal = true, .has_colour = true};
  Log log(err, screen);
  Context context{{}, err, err, err, screen, screen, log, {}};
  SourceText text("a.yaml", "kernel: [x\n");
  fail(context, {text.diagnostic(8, 1, "broken \x1b]0;x\x07", "close it")});
  EXPECT_EQ(err.str(),
            "\x1b[1ma.yaml:1:9: \x1b[0m\x1b[31merror:\x1b[0m broken \x1b]0;x\x07\n"
            "  kernel: [x\x1b[32m\n"
            "          ^\x1b[0m\n"
            "  close it\n");
}

TEST(Program, a_call_without_a_command_is_a_usage_error) {
  EXPECT_TRUE(ended(call({}), ExitCode::usage, "error: no command given\n  hint: gktune --help\n"));
}

TEST(Program, an_error_suggests_a_command_for_a_misspelt_one) {
  Call misspelt = call({"completion", "bash"});
  EXPECT_EQ(misspelt.out, "");
  EXPECT_TRUE(
      ended(misspelt, ExitCode::usage,
            "error: unknown command 'completion', did you mean 'completions'?\n  hint: gktune --help\n"));
}

TEST(Program, an_error_suggests_a_flag_for_a_misspelt_one) {
  EXPECT_TRUE(
      ended(call({"completions", "bash", "--hlep"}), ExitCode::usage,
            "error: unknown flag '--hlep', did you mean '--help'?\n  hint: gktune completions --help\n"));
}

TEST(Program, an_error_names_an_unexpected_argument) {
  EXPECT_TRUE(ended(call({"completions", "bash", "zsh"}), ExitCode::usage,
                    "error: unexpected argument 'zsh'\n  hint: gktune completions --help\n"));
}

TEST(Program, an_error_names_a_flag_that_is_given_twice) {
  EXPECT_TRUE(ended(call({"space", "s.yaml", "--at", "1", "--at", "2"}), ExitCode::usage,
                    "error: --at: given twice\n  hint: gktune space --help\n"));
}

TEST(Program, a_flag_is_not_taken_as_the_value_of_another) {
  EXPECT_TRUE(
      ended(call({"space", "s.yaml", "--sample", "--list"}), ExitCode::usage,
            "error: --sample: value missing before '--list'; expected N\n  hint: gktune space --help\n"));
  Call short_flag = call({"run", "s.yaml", "--cache", "-h"});
  EXPECT_EQ(short_flag.err,
            "error: --cache: value missing before '-h'; expected DIR\n  hint: gktune run --help\n");
}

TEST(Program, a_value_may_begin_with_a_dash) {
  EXPECT_TRUE(ended(call({"run", "s.yaml", "--seed", "-1"}), ExitCode::usage,
                    "error: --seed: '-1' is below 0\n  hint: gktune run --help\n"));
}

TEST(Program, an_error_says_which_value_the_last_flag_lacks) {
  for (const char* last : {"-o", "--output", "--output="}) {
    EXPECT_TRUE(ended(call({"import", "k.cu", last}), ExitCode::usage,
                      "error: --output: value missing; expected FILE\n  hint: gktune import --help\n"));
  }
}

TEST(Program, an_error_names_a_flag_that_takes_no_value) {
  EXPECT_TRUE(ended(call({"space", "s.yaml", "--list=all"}), ExitCode::usage,
                    "error: --list: takes no value\n  hint: gktune space --help\n"));
}

TEST(Program, an_error_names_a_missing_argument) {
  EXPECT_TRUE(ended(call({"completions"}), ExitCode::usage,
                    "error: SHELL is required\n  hint: gktune completions --help\n"));
}

}  // namespace
}  // namespace gktune
