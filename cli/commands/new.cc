// gktune new: a kernel to start from, with its reference and its space.
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
  return Error{"no language is called '" + std::string(text) + "'" + did_you_mean(text, known) +
               "; there are cuda, c++"};
}

void declare(Flags& flags, NewOptions& options) {
  flags.text("NAME", options.name, "What the kernel is to be called").required();
  flags.parsed("--language", options.language, parse_language, "What it is written in", "cuda|c++")
      .shown_default("cuda");
  flags.text("--dir", options.folder, "Where to put it").kind("DIR").shown_default(".");
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
  return make_command<NewOptions>("new", "Write a kernel to start from, with its reference and its space",
                                  "gktune new transpose --dir kernels", declare, run);
}

}  // namespace gktune
