// gktune import: a first space file from a source.
#include <filesystem>

#include "cli/command.h"
#include "engine/import/import_space.h"
#include "tuner/core/files.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

struct ImportFlags {
  std::string file, kernel, output;
  bool all = false, force = false;
};

void declare_import(Flags& flags, ImportFlags& options) {
  flags.text("FILE", options.file, "A CUDA source", "FILE").required();
  flags.text("--kernel", options.kernel,
             "Kernel of a CUDA source; default: the first that the source launches", "NAME");
  flags.on("--all", options.all,
           "A file for each kernel that the source launches: KERNEL.yaml in the folder --output");
  flags.text("--output,-o", options.output, "Write to FILE instead of standard output", "FILE");
  flags.on("--force", options.force, "Replace FILE");
}

// A space file for each kernel that the source launches.
ExitCode import_all(const ImportFlags& options, Context& context) {
  if (!options.kernel.empty()) return fail_usage(context, "--all imports each kernel: remove --kernel");
  if (options.output.empty()) return fail_usage(context, "--all needs a folder: --output FOLDER");
  const fs::path folder = options.output;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return fail_usage(context, "--output: " + options.output + " is no folder");
  const auto kernels = kernels_to_import(options.file);
  if (!kernels) return fail(context, ExitCode::usage, kernels.error().message);
  const auto file_of = [&](const std::string& kernel) { return folder / (kernel + ".yaml"); };
  for (const std::string& kernel : *kernels) {
    if (!options.force && fs::exists(fs::symlink_status(file_of(kernel), error)))
      return fail(context, ExitCode::failed, file_of(kernel).string() + " exists; --force replaces it");
  }
  fs::create_directories(folder, error);
  ExitCode code = ExitCode::done;
  for (const std::string& kernel : *kernels) {
    const auto space = import_space(options.file, {kernel, folder});
    if (!space) {
      code = fail(context, ExitCode::failed, space.error().message);
      continue;
    }
    value_or_end(write_output(file_of(kernel), space->text), context);
    context.out << file_of(kernel).string() << '\n';
    for (const std::string& note : space->notes) context.log.info("note: " + kernel + ": " + note);
  }
  return code;
}

ExitCode import_file(const ImportFlags& options, Context& context) {
  if (options.all) return import_all(options, context);
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
  return make_command<ImportFlags>("import", "Write a first space file for a CUDA source",
                                   "gktune import kernel.cu -o kernel.yaml", declare_import, import_file);
}

}  // namespace gktune
