#pragma once

#include <string>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/process/child_process.h"

namespace gktune {

// A program that reads lines from its standard input and answers in lines. Its standard error is this program's.
// It ends with this object, and so does everything that it started in its process group.
class LineProgram {
 public:
  // /bin/sh runs the command.
  static Result<LineProgram> start(const std::string& command);
  LineProgram(LineProgram&&) noexcept = default;
  LineProgram& operator=(LineProgram&&) = delete;
  ~LineProgram();

  // An error where it does not read or has ended.
  Result<void> write_line(std::string_view line, double timeout_s);
  // An error where no whole line comes in time, where it has ended, or where a line has no end.
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
