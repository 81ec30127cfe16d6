#pragma once

#include <string>

namespace gktune {

// Takes what the process writes to its standard output, or to its standard error too, while this object
// lives. In the end it passes that on to the real output. It takes a bounded
// amount: what comes after is lost.
class CapturedOutput {
 public:
  enum class Streams { output, output_and_errors };

  explicit CapturedOutput(Streams streams);
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput();

  std::string text() const;

 private:
  int file_ = -1;            // in memory
  int saved_[2] = {-1, -1};  // copies of descriptors 1 and 2
};

}  // namespace gktune
