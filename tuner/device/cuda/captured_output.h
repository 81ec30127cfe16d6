#pragma once

#include <string>

namespace gktune {

// Takes what the process writes to its standard output and error while this object lives, and writes it there
// in the end. The driver prints there which assertion failed.
class CapturedOutput {
 public:
  CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput();

  // The first line that contains these words; empty: none does.
  std::string line_with(const std::string& words) const;

 private:
  std::string text() const;

  int file_ = -1;            // in memory
  int saved_[2] = {-1, -1};  // copies of descriptors 1 and 2
};

}  // namespace gktune
