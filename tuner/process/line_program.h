#pragma once

#include <string>
#include <string_view>

#include "gktune/result.h"
#include "tuner/process/child_process.h"
#include "tuner/process/file_descriptor.h"

namespace gktune {

// A program that reads lines from its standard input and writes lines to its standard output. The destructor
// closes its input, gives it a moment to end by itself, and ends it.
class LineProgram {
 public:
  static Result<LineProgram> start(const ChildOptions& options);
  LineProgram(LineProgram&&) = default;
  LineProgram& operator=(LineProgram&&) = default;
  ~LineProgram();

  // An error if the program does not read in time or has ended. 0 seconds: no limit.
  Result<void> write_line(std::string_view line, double timeout_s = 0);
  // An error if no complete line arrives in time, the program has ended, or a line is too long.
  Result<std::string> read_line(double timeout_s = 0);

 private:
  explicit LineProgram(ChildProcess process);
  std::string how_it_ended();

  ChildProcess process_;
  FileDescriptor input_, output_;
  std::string unread_;
};

}  // namespace gktune
