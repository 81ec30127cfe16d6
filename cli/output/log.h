#pragma once

#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "cli/output/screen.h"

namespace spdlog {
class logger;
}

namespace gktune {

// Messages for people.
class Log {
 public:
  Log(std::ostream& stream, const Screen& screen);
  ~Log();

  void info(std::string_view message);
  void warning(std::string_view message);  // "warning: …"; the same one only once
  void error(std::string_view message);    // "error: …"
  void hint(std::string_view message);     // "  hint: …"
  // From now on prints errors only.
  void silence();

 private:
  std::unique_ptr<spdlog::logger> logger_;
  std::set<std::string, std::less<>> warnings_;
};

}  // namespace gktune
