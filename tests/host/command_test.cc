#include "tuner/device/host/command.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <csignal>

namespace gktune {
namespace {

CommandOutput output_of(const std::string& script) {
  const Result<CommandOutput> output = run_command({"sh", "-c", script});
  EXPECT_TRUE(output.ok()) << output.error().message;
  return output.ok() ? *output : CommandOutput();
}

TEST(Command, all_that_is_printed_is_kept_in_its_order) {
  EXPECT_EQ(output_of("echo one; echo two >&2; echo three").text, "one\ntwo\nthree\n");
}

TEST(Command, how_it_ended_is_one_number) {
  EXPECT_EQ(output_of("exit 3").exit_code, 3);
  EXPECT_EQ(output_of("kill -TERM $$").exit_code, 128 + SIGTERM);
}

TEST(Command, there_is_nothing_to_read) { EXPECT_EQ(output_of("cat; echo end").text, "end\n"); }

TEST(Command, speaks_english_whatever_the_user_does) {
  ::setenv("LANGUAGE", "de", 1);
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_EQ(output_of("echo $LC_ALL ${LANGUAGE-none}").text, "C.UTF-8 none\n");
  ::unsetenv("LANGUAGE");
  ::unsetenv("LC_ALL");
}

TEST(Command, that_is_not_there_is_an_error) {
  const Result<CommandOutput> output = run_command({"/nonexistent/compiler"});
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().message, "cannot start /nonexistent/compiler: No such file or directory");
}

}  // namespace
}  // namespace gktune
