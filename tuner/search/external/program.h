#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/result.h"

namespace gktune {

// A program that is spoken to in lines: one end of its standard input and output. Its standard error is this
// program's. It is ended with this object, and everything that it started in its process group with it.
class LineProgram {
 public:
  // /bin/sh runs the command.
  static Result<LineProgram> start(const std::string& command);
  LineProgram(LineProgram&& other) noexcept;
  LineProgram& operator=(LineProgram&& other) noexcept;
  ~LineProgram();

  // An error where it does not read or has ended.
  Result<void> write_line(std::string_view line, double timeout_s);
  // An error where no whole line comes in time, where it has ended, or where a line has no end.
  Result<std::string> read_line(double timeout_s);

 private:
  LineProgram(pid_t pid, int input, int output) : pid_(pid), input_(input), output_(output) {}
  std::string how_it_ended();
  void end();

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1;
  std::string unread_;
};

}  // namespace gktune
