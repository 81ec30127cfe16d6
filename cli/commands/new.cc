// gktune new: writes an example kernel or a template, its reference and its space file.
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
#include "tuner/space/space_file.h"

namespace gktune {

// The files of templates/new.
std::span<const EmbeddedFile> starter_texts();
// The files of spaces/, templates/ and templates/common/.
std::span<const EmbeddedFile> template_texts();

namespace {

// A file that `gktune new` writes.
struct StarterFile {
  std::string name;
  std::string text;
  bool is_shared = false;  // kernels of one folder may have it together
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
  GKTUNE_TRY(check_name(name, texts));
  std::vector<StarterFile> files;
  for (const EmbeddedFile& file : texts)
    files.push_back({renamed(file.path, name), renamed(file.text, name)});
  return files;
}

constexpr std::string_view kSpaces = "spaces/", kTemplates = "templates/";

const EmbeddedFile* find_template_text(std::string_view path) {
  const auto found = std::ranges::find(template_texts(), path, &EmbeddedFile::path);
  return found == template_texts().end() ? nullptr : &*found;
}

Result<std::string> parse_template(std::string_view text) {
  std::vector<std::string> known;
  for (const EmbeddedFile& file : template_texts()) {
    if (file.path.starts_with(kSpaces)) known.push_back(fs::path(file.path).stem().string());
  }
  if (std::ranges::find(known, text) != known.end()) return std::string(text);
  return Error{fmt::format("unknown template '{}'{}; known are {}", text, did_you_mean(text, known),
                           fmt::join(known, ", "))};
}

// The files that reading the space file opens, by their paths: sources, and what these include.
std::set<std::string> sources_of(const EmbeddedFile& space) {
  std::set<std::string> sources;
  const auto open = [&](const std::string& path) -> Result<std::string> {
    const EmbeddedFile* const file = find_template_text(path);
    if (file == nullptr) return Error{"there is no such file"};
    sources.insert(path);
    return std::string(file->text);
  };
  (void)read_space_text(space.text, std::string(space.path), {}, open);
  return sources;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

// The template with the files that it includes. Its own files and its kernel get the name.
Result<std::vector<StarterFile>> files_like(const std::string& like, const std::string& name) {
  GKTUNE_TRY(check_name(name, {}));
  const EmbeddedFile& original = *find_template_text(fmt::format("{}{}.yaml", kSpaces, like));
  std::string space(original.text);
  std::vector<StarterFile> files;
  for (const std::string& source : sources_of(original)) {
    const std::string path = source.substr(kTemplates.size());
    const bool is_own = path.starts_with(like + '.') || path.starts_with(like + "_reference.");
    files.push_back({is_own ? name + path.substr(like.size()) : path,
                     std::string(find_template_text(source)->text), !is_own});
  }
  for (const std::string folder : {"../templates/", "templates/"}) {
    for (const std::string end : {".", "_reference."}) replace_all(space, folder + like + end, name + end);
    replace_all(space, folder, "");
  }
  replace_all(space, "kernel: " + like + '\n', "kernel: " + name + '\n');
  files.push_back({name + ".yaml", std::move(space)});
  return files;
}

// Writes all of them or none, and creates folders if needed. Overwrites nothing.
Result<void> write_starter(const fs::path& folder, std::vector<StarterFile> files) {
  std::error_code error;
  std::erase_if(files, [&](const StarterFile& file) {
    const auto known = file.is_shared ? read_whole(folder / file.name) : Error{};
    return known && *known == file.text;
  });
  for (const StarterFile& file : files) {
    const fs::path path = folder / file.name;
    if (fs::exists(fs::symlink_status(path, error)))
      return Error{fmt::format("{} exists; nothing was written", path.string())};
  }
  for (const StarterFile& file : files) {
    const fs::path of_file = (folder / file.name).parent_path();
    fs::create_directories(of_file, error);
    if (error)
      return Error{fmt::format("cannot create the folder {}: {}", of_file.string(), error.message())};
  }

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
  std::string like;
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
  const Flag language =
      flags.parsed("--language", options.language, parse_language, "Language of the kernel", "cuda|c++")
          .shown_default(std::string(language_name(options.language)));
  flags.parsed("--like", options.like, parse_template, "Copy a template: softmax, gemm, scan, …", "TEMPLATE")
      .excludes(language);
  flags.text("--dir", options.folder, "Folder for the files", "DIR").shown_default(".");
}

ExitCode run(const NewOptions& options, Context& context) {
  auto files = options.like.empty() ? starter_files(options.name, options.language)
                                    : files_like(options.like, options.name);
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
  return make_command<NewOptions>(
      "new", "Write an example kernel or a template with its reference and space file, to start from",
      "gktune new my_kernel --dir kernels", declare, run);
}

}  // namespace gktune
