// The program on a terminal: its colours.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <string>

#include "program_process.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

struct Shown {
  int exit_code = -1;
  std::string raw;   // everything that the terminal got
  std::string text;  // without control sequences, and without lines that were erased
};

std::string without_control_sequences(const std::string& raw) {
  const std::string plain = std::regex_replace(raw, std::regex("\x1b\\[[0-9;?]*[A-Za-z]"), "");
  std::string text;
  for (const std::string& line : lines_of(plain)) {
    const std::string visible = line.substr(0, line.find_last_not_of('\r') + 1);
    const std::size_t start = visible.rfind('\r');  // what came before was overwritten
    text += visible.substr(start == std::string::npos ? 0 : start + 1) + '\n';
  }
  return text;
}

class OnTerminal : public testing::Test {
 protected:
  // A command on a terminal with so many columns.
  Shown shown(const std::string& command, unsigned short columns) const {
    const std::string script =
        "cd '" + folder_.path().string() + "' && PATH='" GKTUNE_PROGRAM_FOLDER ":'\"$PATH\" && " +
        "export HOME=\"$PWD\" TERM=xterm && unset GKTUNE_DB XDG_CACHE_HOME NO_COLOR && exec " + command;
    const struct winsize size {40, columns, 0, 0};
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    Shown shown;
    if (child < 0) return shown;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::read(terminal, part.data(), part.size())) > 0;)
      shown.raw.append(part.data(), static_cast<std::size_t>(count));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    shown.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    shown.text = without_control_sequences(shown.raw);
    return shown;
  }
  ScratchFolder folder_;
};

const std::string kRun =
    "gktune run --device replay:" GKTUNE_SOURCE_DIR
    "/bench/recordings/saxpy-H200.json.gz --strategy random --seed 1 --trials 60 --gain 0 --db saxpy.db";

TEST_F(OnTerminal, a_command_uses_colour_and_a_pipe_or_no_color_has_none) {
  ASSERT_EQ(shown(kRun, 100).exit_code, 0);
  const std::string show = "gktune db show saxpy --db saxpy.db";
  EXPECT_NE(shown(show, 60).raw.find("\x1b[1msaxpy"), std::string::npos);
  EXPECT_EQ(shown("env NO_COLOR=1 " + show, 60).raw.find("\x1b[1m"), std::string::npos);
  const Shown piped = shown("sh -c '" + show + " 2>err | cat'", 60);
  EXPECT_NE(piped.text.find("saxpy"), std::string::npos) << piped.raw;
  EXPECT_EQ(piped.raw.find('\x1b'), std::string::npos) << piped.raw;
}

}  // namespace
}  // namespace gktune
