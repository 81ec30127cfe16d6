#pragma once

#include <string>

namespace gktune {

// Takes what the process writes to its standard output and error while this lives: kernels print there, and
// the driver says there which assertion failed.
class CapturedOutput {
 public:
  CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput();

  // The first line with these words in it; empty: there is none.
  std::string line_with(const std::string& words) const;

 private:
  int file_ = -1;            // in memory
  int saved_[2] = {-1, -1};  // what 1 and 2 were
};

}  // namespace gktune
