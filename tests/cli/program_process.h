#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"

namespace gktune {

// A command line in a shell, in a folder, with the gktune that was built on its path and nothing of the
// caller's settings; output goes to the files out and err there.
class ShellProcess {
 public:
  ShellProcess(const std::filesystem::path& folder, const std::string& command_line);
  ~ShellProcess();
  ShellProcess(const ShellProcess&) = delete;
  ShellProcess& operator=(const ShellProcess&) = delete;

  void signal(int number) const;
  // The exit code, or 128 and the signal that ended it.
  int wait();

 private:
  pid_t pid_ = -1;
};

// A test that runs gktune in a folder of its own.
class ProgramTest : public testing::Test {
 protected:
  // Returns the exit code, and keeps the output.
  int gktune(const std::string& arguments) {
    const int code = ShellProcess(folder_.path(), "gktune " + arguments).wait();
    out_ = contents_of(folder_ / "out");
    err_ = contents_of(folder_ / "err");
    return code;
  }

  ScratchFolder folder_;
  std::string out_, err_;
};

std::vector<std::string> lines_of(const std::string& text);
std::string joined(const std::vector<std::string>& lines);

}  // namespace gktune
