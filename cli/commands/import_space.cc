// gktune import-space: a space file from one of another program.
#include "engine/import_space.h"

#include <fstream>
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/flags.h"

namespace gktune {
namespace {

struct ImportSpaceOptions {
  std::string file, output;
};

void declare_import_space(Flags& flags, ImportSpaceOptions& options) {
  flags.text("FILE", options.file, "A T1 space file (JSON), or a CCCL benchmark with %RANGE% comments").required().kind("FILE");
  flags.text("--output,-o", options.output, "Write to FILE instead of standard output").kind("FILE");
}

ExitCode import_space_file(const ImportSpaceOptions& options, Context& context) {
  auto space = import_space(options.file);
  if (!space) return fail(context, ExitCode::usage, space.error().message);
  if (options.output.empty()) {
    context.out << space->text;
  } else {
    std::ofstream file(options.output, std::ios::binary);
    file << space->text;
    if (!file.flush()) return fail(context, ExitCode::failed, options.output + ": cannot be written");
  }
  for (const std::string& note : space->notes) context.log.info("note: " + note);
  return ExitCode::done;
}

}  // namespace

Command import_space_command() {
  return make_command<ImportSpaceOptions>("import-space", "Convert a space file of another program",
                                          "gktune import-space kernel.json -o kernel.yaml", declare_import_space,
                                          import_space_file);
}

}  // namespace gktune
