// gktune import: a first space file from a source or a space file of another program.
#include <filesystem>

#include "cli/command.h"
#include "engine/import/import_space.h"
#include "tuner/core/files.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

struct ImportFlags {
  std::string file, kernel, output;
  bool force = false;
};

void declare_import(Flags& flags, ImportFlags& options) {
  flags
      .text("FILE", options.file,
            "A CUDA source, a T1 space file (JSON), or a CCCL benchmark with %RANGE% comments", "FILE")
      .required();
  flags.text("--kernel", options.kernel,
             "Kernel of a CUDA source; default: the first that the source launches", "NAME");
  flags.text("--output,-o", options.output, "Write to FILE instead of standard output", "FILE");
  flags.on("--force", options.force, "Replace FILE");
}

ExitCode import_file(const ImportFlags& options, Context& context) {
  const fs::path output = options.output;
  if (std::error_code ignored; fs::equivalent(options.file, output, ignored))
    return fail_usage(context, "--output: " + options.output + " is the file to import");
  auto space = import_space(options.file, {options.kernel, output.parent_path()});
  if (!space) return fail(context, ExitCode::usage, space.error().message);
  if (options.output.empty()) {
    context.out << space->text;
  } else {
    std::error_code ignored;
    if (!options.force && fs::exists(fs::symlink_status(output, ignored)))
      return fail(context, ExitCode::failed, options.output + " exists; --force replaces it");
    value_or_end(write_output(output, space->text), context);
  }
  for (const std::string& note : space->notes) context.log.info("note: " + note);
  if (!options.output.empty()) hint(context, "gktune check " + options.output);
  return ExitCode::done;
}

}  // namespace

Command import_command() {
  Command command = make_command<ImportFlags>(
      "import", "Write a first space file for a kernel, or convert a file of another tuner",
      "gktune import kernel.cu -o kernel.yaml", declare_import, import_file);
  command.aliases = {"import-space"};
  return command;
}

}  // namespace gktune
