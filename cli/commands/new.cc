// gktune new: writes an example kernel, its reference and its space file.
#include <ostream>

#include "cli/commands/commands.h"
#include "cli/flags.h"
#include "cli/starter.h"
#include "tuner/core/spelling.h"

namespace gktune {
namespace {

struct NewOptions {
  std::string name;
  Language language = Language::cuda;
  std::string folder = ".";
};

Result<Language> parse_language(std::string_view text) {
  if (text == "cuda") return Language::cuda;
  if (text == "c++") return Language::cpp;
  const std::vector<std::string> known = {"cuda", "c++"};
  return Error{"unknown language '" + std::string(text) + "'" + did_you_mean(text, known) +
               "; known are cuda, c++"};
}

void declare(Flags& flags, NewOptions& options) {
  flags.text("NAME", options.name, "Name of the kernel").required();
  flags.parsed("--language", options.language, parse_language, "Language of the kernel", "cuda|c++")
      .shown_default("cuda");
  flags.text("--dir", options.folder, "Folder for the files").kind("DIR").shown_default(".");
}

ExitCode run(const NewOptions& options, Context& context) {
  auto files = starter_files(options.name, options.language);
  if (!files) return fail(context, ExitCode::usage, files.error().message);
  if (auto written = write_starter(options.folder, *files); !written) {
    return fail(context, ExitCode::failed, written.error().message);
  }
  std::string space;
  for (const StarterFile& file : *files) {
    const std::string path = (std::filesystem::path(options.folder) / file.name).lexically_normal().string();
    context.out << path << '\n';
    if (path.ends_with(".yaml")) space = path;
  }
  hint(context, "gktune run " + space);
  return ExitCode::done;
}

}  // namespace

Command new_command() {
  return make_command<NewOptions>("new",
                                  "Write an example kernel with its reference and space file, to start from",
                                  "gktune new my_kernel --dir kernels", declare, run);
}

}  // namespace gktune
