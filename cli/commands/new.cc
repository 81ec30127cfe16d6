// gktune new: writes an example kernel, its reference and its space file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "gktune/result.h"
#include "tuner/core/embedded_file.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/space/definition.h"

namespace gktune {

// The files of templates/new.
std::span<const EmbeddedFile> starter_texts();

namespace {

// A file of the example that `gktune new` writes.
struct StarterFile {
  std::string name;
  std::string text;
};

namespace fs = std::filesystem;

// The kernel's name in the files. Each word that begins with it is renamed.
constexpr std::string_view kPlaceholder = "example";
constexpr std::size_t kLongestName = 100;

std::vector<EmbeddedFile> texts_of(Language language) {
  const std::string_view folder = language == Language::cpp ? "cpp/" : "cuda/";
  std::vector<EmbeddedFile> texts;
  for (const EmbeddedFile& file : starter_texts()) {
    if (file.path.starts_with(folder)) texts.push_back({file.path.substr(folder.size()), file.text});
  }
  return texts;
}

template <class Function>
void for_each_word(std::string_view text, Function function) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    function(text.substr(at, std::max<std::size_t>(end - at, 1)));
    at = std::max(end, at + 1);
  }
}

std::string renamed(std::string_view text, const std::string& name) {
  std::string result;
  for_each_word(text, [&](std::string_view word) {
    const bool is_meant = word.starts_with(kPlaceholder);
    result += is_meant ? name : "";
    result += is_meant ? word.substr(kPlaceholder.size()) : word;
  });
  return result;
}

std::set<std::string_view> words_of(const std::vector<EmbeddedFile>& texts) {
  std::set<std::string_view> words;
  for (const EmbeddedFile& file : texts)
    for_each_word(file.text, [&](std::string_view word) { words.insert(word); });
  return words;
}

Result<void> check_name(const std::string& name, const std::vector<EmbeddedFile>& texts) {
  const auto refused = [&](const std::string& why) {
    return Error{fmt::format("'{}' is not a valid kernel name: {}", name, why)};
  };
  if (name.empty()) return refused("it is empty");
  if (name.size() > kLongestName) return refused("it is too long");
  if (!is_letter(name.front()) || name.front() == '_') return refused("it must begin with a letter");
  if (!std::ranges::all_of(name, is_word)) return refused("it may contain only letters, digits and _");
  if (is_cpp_keyword(name) || name == "main") return refused("it is a C++ keyword");
  if (name != kPlaceholder && words_of(texts).contains(name)) return refused("the example uses this name");
  return {};
}

// The kernel, its reference and its space file, renamed. Fails if `name` cannot be a kernel's name.
Result<std::vector<StarterFile>> starter_files(const std::string& name, Language language) {
  const std::vector<EmbeddedFile> texts = texts_of(language);
  if (auto checked = check_name(name, texts); !checked) return checked.error();
  std::vector<StarterFile> files;
  for (const EmbeddedFile& file : texts)
    files.push_back({renamed(file.path, name), renamed(file.text, name)});
  return files;
}

// Writes all of them or none, and creates the folder if needed. Overwrites nothing.
Result<void> write_starter(const fs::path& folder, const std::vector<StarterFile>& files) {
  std::error_code error;
  for (const StarterFile& file : files) {
    const fs::path path = folder / file.name;
    if (fs::exists(fs::symlink_status(path, error)))
      return Error{fmt::format("{} exists; nothing was written", path.string())};
  }
  fs::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot create the folder {}: {}", folder.string(), error.message())};

  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto written = write_output(folder / files[i].name, files[i].text);
    if (written) continue;
    for (std::size_t j = 0; j < i; ++j) fs::remove(folder / files[j].name, error);
    return Error{written.error().message + "; nothing was written"};
  }
  return {};
}

struct NewOptions {
  std::string name;
  Language language = Language::cuda;
  std::string folder = ".";
};

Result<Language> parse_language(std::string_view text) {
  const auto language = enum_from_name<Language>(text);
  if (language && *language != Language::host) return *language;
  const std::vector<std::string> known = {std::string(language_name(Language::cuda)),
                                          std::string(language_name(Language::cpp))};
  return Error{"unknown language '" + std::string(text) + "'" + did_you_mean(text, known) + "; known are " +
               known[0] + ", " + known[1]};
}

void declare(Flags& flags, NewOptions& options) {
  flags.text("NAME", options.name, "Name of the kernel").required();
  flags.parsed("--language", options.language, parse_language, "Language of the kernel", "cuda|c++")
      .shown_default(std::string(language_name(options.language)));
  flags.text("--dir", options.folder, "Folder for the files", "DIR").shown_default(".");
}

ExitCode run(const NewOptions& options, Context& context) {
  auto files = starter_files(options.name, options.language);
  if (!files) return fail(context, ExitCode::usage, files.error().message);
  value_or_end(write_starter(options.folder, *files), context);
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
