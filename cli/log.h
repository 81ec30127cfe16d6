#pragma once

#include <iosfwd>
#include <string_view>

#include "cli/screen.h"

namespace gktune {

// Messages for people.
class Log {
 public:
  Log(std::ostream& stream, const Screen& screen) : stream_(stream), screen_(screen) {}

  void info(std::string_view message);
  void error(std::string_view message);  // "error: …"
  void hint(std::string_view message);   // "  hint: …"
  // Keeps everything but errors back from now on.
  void silence() { is_silent_ = true; }

 private:
  std::ostream& stream_;
  Screen screen_;
  bool is_silent_ = false;
};

}  // namespace gktune
