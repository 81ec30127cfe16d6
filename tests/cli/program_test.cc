#include <gtest/gtest.h>

#include "call.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/output/screen.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

TEST(Environment, the_database_is_named_by_the_variable_or_in_the_working_directory) {
  EXPECT_EQ(default_database("/data/all.db"), "/data/all.db");
  EXPECT_EQ(default_database(""), "gktune.db");
  EXPECT_EQ(default_database(nullptr), "gktune.db");
}

TEST(Environment, the_cache_is_below_xdg_cache_home_or_else_home) {
  EXPECT_EQ(default_cache_dir("/cache", "/home/me"), "/cache/gktune");
  EXPECT_EQ(default_cache_dir("relative", "/home/me"), "/home/me/.cache/gktune");
  EXPECT_EQ(default_cache_dir(nullptr, "/home/me"), "/home/me/.cache/gktune");
  EXPECT_EQ(default_cache_dir("", nullptr), "");
  EXPECT_EQ(default_cache_dir("relative", "."), "");
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
            "  kernel: [x\n"
            "          ^\n"
            "  close it\n");
}

}  // namespace
}  // namespace gktune
