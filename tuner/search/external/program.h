#pragma once

#include <string>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/process/child_process.h"

namespace gktune {

// A child process that reads lines from standard input and writes lines to standard output. It inherits
// standard error. The destructor ends it and its process group.
class LineProgram {
 public:
  // Runs the command with /bin/sh.
  static Result<LineProgram> start(const std::string& command);
  LineProgram(LineProgram&&) noexcept = default;
  LineProgram& operator=(LineProgram&&) = delete;
  ~LineProgram();

  // An error if the program does not read in time or has ended.
  Result<void> write_line(std::string_view line, double timeout_s);
  // An error if no complete line arrives in time, the program has ended, or a line is too long.
  Result<std::string> read_line(double timeout_s);

 private:
  explicit LineProgram(ChildProcess process)
      : process_(std::move(process)), input_(process_.take_socket()), output_(process_.take_output()) {}
  std::string how_it_ended();

  ChildProcess process_;
  FileDescriptor input_, output_;
  std::string unread_;
};

}  // namespace gktune
