#include "tuner/process/source_line.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "tuner/process/file_descriptor.h"

namespace gktune {
namespace {

using namespace std::string_view_literals;

class SourceLines : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    answering_ = FileDescriptor(ends[0]);
    asking_ = FileDescriptor(ends[1]);
  }

  static bool succeeds(pid_t pid) {
    int status = 0;
    return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  FileDescriptor answering_, asking_;
};

TEST_F(SourceLines, are_found_by_another_process) {
  const pid_t child = ::fork();
  if (child == 0) {
    ask_for_lines(asking_.number());
    std::array<char, 4096> lines{};
    const std::size_t size = find_lines("/proc/self/exe", "0x10", lines.data(), lines.size());
    ::_exit(std::string_view(lines.data(), size).find(':') == std::string_view::npos ? 1 : 0);
  }
  const pid_t answering = answer_for_lines(answering_.number());
  ASSERT_GT(answering, 0);
  EXPECT_TRUE(succeeds(answering));
  EXPECT_TRUE(succeeds(child));
}

TEST_F(SourceLines, are_found_for_modules_and_offsets_only) {
  for (const std::string_view question : {"/bin/true\0--help\0"sv, "/bin/true\0@/etc/passwd\0"sv,
                                          "--help\0000x10\0"sv, "/bin/true\0000x\0"sv, "/bin/true"sv}) {
    ASSERT_GT(::send(asking_.number(), question.data(), question.size(), 0), 0);
    EXPECT_EQ(answer_for_lines(answering_.number()), 0) << question;
    char byte = 0;
    EXPECT_EQ(::recv(asking_.number(), &byte, 1, MSG_DONTWAIT), 0) << question;
  }
}

TEST_F(SourceLines, are_asked_for_until_the_other_end_closes) {
  asking_.close();
  EXPECT_EQ(answer_for_lines(answering_.number()), -1);
}

}  // namespace
}  // namespace gktune
