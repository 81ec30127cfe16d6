#include "cli/context.h"

#include <ostream>
#include <string>

namespace gktune {

ExitCode fail(Context& context, ExitCode code, std::string_view message) {
  context.log.error(message);
  return code;
}

void hint(Context& context, std::string_view message) {
  context.err << paint(context.err_screen, Ink::dim, "  hint:") << ' ' << message << '\n';
}

ExitCode fail_usage(Context& context, std::string_view command, std::string_view message) {
  fail(context, ExitCode::usage, message);
  hint(context, std::string(command) + " --help");
  return ExitCode::usage;
}

}  // namespace gktune
