#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>

#include "tests/process/processes.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

ChildProcess shell(const std::string& script) {
  auto child = ChildProcess::start({{"/bin/sh", "-c", script}, {{"GREETING", "hello"}}});
  return std::move(*child);
}

TEST(ChildProcess, the_exit_status_says_how_it_ended) {
  EXPECT_EQ(shell("exit 3").wait().str(), "exited with code 3");
  EXPECT_EQ(shell("kill -SEGV $$").wait().str(), "killed by SIGSEGV");
}

TEST(ChildProcess, the_last_part_of_the_output_is_kept) {
  ChildProcess child =
      shell("i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; echo the end >&2");
  while (!child.exit_status()) child.read_output();
  child.read_output();
  EXPECT_TRUE(child.output_tail().ends_with("line 4999\nthe end\n"));
  EXPECT_LE(child.output_tail().size(), 2u * 16384);
}

TEST(ChildProcess, settings_are_added_to_the_environment) {
  ChildProcess child = shell("echo $GREETING $PATH");
  child.wait();
  child.read_output();
  EXPECT_TRUE(child.output_tail().starts_with("hello /")) << child.output_tail();
}

TEST(ChildProcess, a_child_inherits_only_its_channel_from_its_parent) {
  const int stray = ::open("/dev/null", O_RDONLY);  // as an application may have left it
  ChildProcess child = shell("echo to the parent >&3; ls /proc/self/fd");
  FileDescriptor socket = child.take_socket();
  child.wait();
  child.read_output();
  EXPECT_EQ(child.output_tail(), "0\n1\n2\n3\n4\n");  // 4 is the folder that ls reads
  char bytes[64] = {};
  EXPECT_EQ(::read(socket.number(), bytes, sizeof bytes), 14);
  EXPECT_STREQ(bytes, "to the parent\n");
  ::close(stray);
}

TEST(ChildProcess, destruction_ends_the_whole_group_and_leaves_no_zombie) {
  const std::size_t before = open_descriptors();
  pid_t pid = 0;
  {
    ChildProcess child = shell("sleep 1000 & sleep 1000");
    pid = child.pid();
    ASSERT_TRUE(eventually([&] { return !child_processes(pid).empty(); }));
  }
  EXPECT_EQ(process_state(pid).state, '?');
  EXPECT_TRUE(eventually([&] { return group_processes(pid).empty(); }));
  EXPECT_EQ(open_descriptors(), before);
}

TEST(ChildProcess, descendants_of_a_child_end_with_it) {
  ChildProcess child = shell("sleep 1000 & exit 0");
  EXPECT_EQ(child.wait().str(), "exited with code 0");
  EXPECT_TRUE(eventually([&] { return group_processes(child.pid()).empty(); }));
}

TEST(ChildProcess, a_coprocess_reads_from_its_parent_and_answers) {
  auto child = ChildProcess::start({{"/bin/sh", "-c", "read -r line; echo \"$line $line\"; ls /proc/self/fd"},
                                    {},
                                    ChildOptions::Kind::coprocess});
  EXPECT_EQ(::getpgid(child->pid()), child->pid());
  const FileDescriptor input = child->take_socket();
  EXPECT_EQ(::write(input.number(), "again\n", 6), 6);
  EXPECT_EQ(child->wait().str(), "exited with code 0");
  child->read_output();
  EXPECT_EQ(child->output_tail(), "again again\n0\n1\n2\n3\n");  // 3 is the folder that ls reads
}

TEST(ChildProcess, a_coprocess_keeps_the_standard_error_of_its_parent) {
  testing::internal::CaptureStderr();
  auto child = ChildProcess::start({{"/bin/sh", "-c", "echo to all >&2"}, {}, ChildOptions::Kind::coprocess});
  child->wait();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "to all\n");
}

TEST(ChildProcess, a_command_has_an_empty_input_and_its_standard_error_apart) {
  auto child = ChildProcess::start({{"/bin/sh", "-c", "cat; echo result; echo problem >&2; ls /proc/self/fd"},
                                    {},
                                    ChildOptions::Kind::command});
  const FileDescriptor error = child->take_socket();
  EXPECT_EQ(child->wait().str(), "exited with code 0");
  child->read_output();
  EXPECT_EQ(child->output_tail(), "result\n0\n1\n2\n3\n");  // 3 is the folder that ls reads
  char text[20];
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(::read(error.number(), text, sizeof text))),
            "problem\n");
}

TEST(ChildProcess, a_wait_for_the_end_has_a_time_limit) {
  ChildProcess child = shell("sleep 1000");
  EXPECT_FALSE(child.exit_status_within(std::chrono::milliseconds(20)));
  child.signal(SIGKILL);
  EXPECT_EQ(child.exit_status_within(std::chrono::seconds(60))->str(), "killed by SIGKILL");
}

TEST(ChildProcess, a_program_that_cannot_be_executed_is_an_error) {
  const std::size_t before = open_descriptors();
  const auto child = ChildProcess::start({{"/etc/passwd"}, {}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().message, "/etc/passwd cannot be started: Permission denied");
  EXPECT_EQ(open_descriptors(), before);
}

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
