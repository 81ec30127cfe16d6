#include "tuner/process/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/scratch_folder.h"

namespace gktune {
namespace {

class InSandbox : public ::testing::Test {
 protected:
  InSandbox() {
    for (const char* name : {"read/a", "write/a", "other/a"}) folder_.write(name, "text");
  }
  void SetUp() override {
    if (const auto supported = check_sandbox(); !supported) GTEST_SKIP() << supported.error().message;
  }

  // True if this holds in a process that entered the sandbox.
  bool holds(const std::function<bool()>& condition) { return ending(condition) == 0; }
  // 0: the condition holds, 1: it does not; or the signal that ended the process.
  int ending(const std::function<bool()>& condition) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Sandbox sandbox{.readable = {folder_ / "read", folder_ / "absent"},
                            .writable = {folder_ / "write"}};
      ::_exit(enter_sandbox(sandbox) && condition() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  }
  bool opens(const std::string& name, int flags) const {
    return ::open((folder_ / name).c_str(), flags, 0600) >= 0;
  }

  ScratchFolder folder_;
};

TEST_F(InSandbox, files_of_readable_folders_are_read_and_not_written) {
  EXPECT_TRUE(holds([&] { return opens("read/a", O_RDONLY); }));
  EXPECT_FALSE(holds([&] { return opens("read/a", O_WRONLY); }));
  EXPECT_FALSE(holds([&] { return opens("read/new", O_WRONLY | O_CREAT); }));
}

TEST_F(InSandbox, files_of_writable_folders_are_made_moved_and_removed) {
  EXPECT_TRUE(holds([&] { return opens("write/new", O_WRONLY | O_CREAT); }));
  EXPECT_TRUE(holds([&] {
    return ::mkdir((folder_ / "write/below").c_str(), 0700) == 0 &&
           ::rename((folder_ / "write/a").c_str(), (folder_ / "write/below/a").c_str()) == 0;
  }));
  EXPECT_TRUE(holds([&] { return ::unlink((folder_ / "write/below/a").c_str()) == 0; }));
}

TEST_F(InSandbox, other_files_are_neither_read_nor_written) {
  EXPECT_FALSE(holds([&] { return opens("other/a", O_RDONLY); }));
  EXPECT_FALSE(holds([&] { return opens("other/a", O_WRONLY); }));
  EXPECT_FALSE(holds([] { return ::open("/etc/passwd", O_RDONLY) >= 0; }));
  EXPECT_FALSE(
      holds([&] { return ::rename((folder_ / "write/new").c_str(), (folder_ / "other/b").c_str()) == 0; }));
}

TEST_F(InSandbox, sockets_cannot_be_made) {
  for (const int domain : {AF_INET, AF_INET6, AF_UNIX})
    EXPECT_FALSE(holds([&] { return ::socket(domain, SOCK_STREAM, 0) >= 0; })) << domain;
  EXPECT_TRUE(holds([] {
    int pair[2];
    return ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
  }));
}

TEST_F(InSandbox, a_process_that_may_start_no_others_ends_when_it_does) {
  const std::function<bool()> forks = [] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child > 0;
  };
  const std::function<bool()> executes = [] { return ::execl("/bin/true", "true", nullptr) == 0; };
  const std::function<bool()> starts_a_program = [] { return std::system("true") >= 0; };
  EXPECT_TRUE(holds(forks));
  for (const auto& starts : {forks, executes, starts_a_program})
    EXPECT_EQ(ending([&] { return forbid_processes() && starts(); }), SIGSYS);
  EXPECT_TRUE(holds([] {
    bool has_run = false;
    const auto forbidden = forbid_processes();
    std::thread([&] { has_run = true; }).join();
    return forbidden && has_run;
  }));
}

TEST_F(InSandbox, processes_that_it_starts_are_in_it) {
  EXPECT_FALSE(holds([&] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(opens("other/a", O_RDONLY) ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 0;
  }));
}

}  // namespace
}  // namespace gktune
