#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "tuner/process/child_process.h"

namespace gktune {
namespace {

CommandOutput output_of(const std::string& script) { return *run_command({"sh", "-c", script}); }

TEST(Command, output_keeps_its_order) {
  EXPECT_EQ(output_of("echo one; echo two >&2; echo three").text, "one\ntwo\nthree\n");
}

TEST(Command, long_output_is_complete) {
  const std::string text = output_of("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done").text;
  EXPECT_TRUE(text.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(text.ends_with("line 19999\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 20000);
}

TEST(Command, stays_in_the_group_of_its_parent) {
  EXPECT_EQ(output_of("ps -o pgid= -p $$ | tr -d ' '").text, std::to_string(::getpgrp()) + '\n');
}

TEST(Command, exit_code_includes_signals) {
  EXPECT_EQ(output_of("exit 3").exit_code, 3);
  EXPECT_EQ(output_of("kill -TERM $$").exit_code, 128 + SIGTERM);
}

TEST(Command, standard_input_is_empty) { EXPECT_EQ(output_of("cat; echo end").text, "end\n"); }

TEST(Command, prints_english_in_every_locale) {
  ::setenv("LANGUAGE", "de", 1);
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_EQ(output_of("echo $LC_ALL ${LANGUAGE:-none}").text, "C.UTF-8 none\n");
  ::unsetenv("LANGUAGE");
  ::unsetenv("LC_ALL");
}

TEST(Command, is_an_error_if_it_does_not_exist) {
  const Result<CommandOutput> output = run_command({"/nonexistent/compiler"});
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().message, "/nonexistent/compiler cannot be started: No such file or directory");
}

}  // namespace
}  // namespace gktune
