// The program on a terminal: pictures of the search, as wide as the terminal, and none in a pipe.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

// Characters of UTF-8, each of which takes one column.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

// The lines of a picture: its title, five lines of bars with labels, and the axis below.
std::vector<std::string> picture(const std::string& text, const std::string& title) {
  const auto lines = lines_of(text);
  const auto first = std::ranges::find(lines, title);
  if (first == lines.end() || lines.end() - first < 7) return {};
  return {first, first + 7};
}

void expect_pictures(const Shown& shown, std::size_t columns) {
  ASSERT_EQ(shown.exit_code, 0) << shown.raw;
  const auto best = picture(shown.text, "best so far"), times = picture(shown.text, "distribution of times");
  ASSERT_EQ(best.size(), 7u) << shown.text;
  ASSERT_EQ(times.size(), 7u) << shown.text;
  // The first trial is the worst so far, and the last bar is the lowest.
  EXPECT_NE(best[1].find("ms █"), std::string::npos) << shown.text;
  EXPECT_NE(best[5].find("µs █"), std::string::npos) << shown.text;
  EXPECT_TRUE(best[5].ends_with("▁")) << shown.text;
  EXPECT_NE(best[6].find("trial 1 "), std::string::npos) << shown.text;
  EXPECT_TRUE(best[6].ends_with(" 60")) << shown.text;
  EXPECT_NE(times[1].find("█"), std::string::npos) << shown.text;  // the most frequent times
  EXPECT_TRUE(times[6].ends_with(" ms")) << shown.text;
  for (const auto& lines : {best, times}) {
    for (const std::string& line : lines) EXPECT_LE(width_of(line), columns) << line;
  }
  // Titles are bold and bars have a colour.
  EXPECT_NE(shown.raw.find("\x1b[1mbest so far\x1b[0m"), std::string::npos) << shown.raw;
  EXPECT_NE(shown.raw.find("\x1b[36m█"), std::string::npos) << shown.raw;
}

TEST_F(OnTerminal, a_run_and_its_study_show_the_best_so_far_and_the_distribution_of_times) {
  expect_pictures(shown(kRun, 100), 100);
  expect_pictures(shown("gktune db show saxpy --db saxpy.db", 60), 60);
  const Shown narrow = shown("gktune db show saxpy --db saxpy.db", 20);
  EXPECT_EQ(narrow.exit_code, 0) << narrow.raw;
  EXPECT_EQ(narrow.text.find("best so far"), std::string::npos) << narrow.text;
  const Shown plain = shown("env NO_COLOR=1 gktune db show saxpy --db saxpy.db", 60);
  EXPECT_NE(plain.text.find("best so far\n"), std::string::npos) << plain.raw;
  EXPECT_EQ(plain.raw.find("\x1b[36m"), std::string::npos) << plain.raw;
  const Shown piped = shown("sh -c 'gktune db show saxpy --db saxpy.db 2>err | cat'", 60);
  EXPECT_EQ(piped.text.find("best so far"), std::string::npos) << piped.text;
  EXPECT_EQ(piped.raw.find('\x1b'), std::string::npos) << piped.raw;
}

TEST_F(OnTerminal, a_quiet_run_shows_no_pictures) {
  const Shown quiet = shown(kRun + " --quiet", 100);
  EXPECT_EQ(quiet.exit_code, 0) << quiet.raw;
  EXPECT_NE(quiet.text.find("saxpy"), std::string::npos) << quiet.text;
  EXPECT_EQ(quiet.text.find("best so far"), std::string::npos) << quiet.text;
}

}  // namespace
}  // namespace gktune
