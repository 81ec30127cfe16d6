#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

#include "cli/screen.h"

namespace spdlog {
class logger;
}

namespace gktune {

// Lines for people, "error: …", on a stream of the caller's.
class Log {
 public:
  Log(std::ostream& stream, const Screen& screen);
  ~Log();

  void info(std::string_view message);
  void error(std::string_view message);

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace gktune
