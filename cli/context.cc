#include "cli/context.h"

#include <ostream>

namespace gktune {

ExitCode fail(Context& context, ExitCode code, std::string_view message) {
  context.log.error(message);
  return code;
}

void hint(Context& context, std::string_view message) {
  context.err << paint(context.err_screen, Ink::dim, "  hint:") << ' ' << message << '\n';
}

}  // namespace gktune
