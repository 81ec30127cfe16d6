#include "cli/log.h"

#include <ostream>

namespace gktune {

void Log::info(std::string_view message) {
  if (!is_silent_) stream_ << message << std::endl;
}

void Log::hint(std::string_view message) {
  if (!is_silent_) stream_ << paint(screen_, Ink::dim, "  hint:") << ' ' << message << std::endl;
}

void Log::error(std::string_view message) {
  // A compiler's messages end with a line feed of their own.
  stream_ << paint(screen_, Ink::red, "error:") << ' '
          << message.substr(0, message.find_last_not_of('\n') + 1) << std::endl;
}

}  // namespace gktune
