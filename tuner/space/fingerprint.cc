#include "tuner/space/fingerprint.h"

#include <algorithm>
#include <filesystem>

#include "tuner/space/content_key.h"

namespace gktune {
namespace {

constexpr std::size_t kMostIncludes = 256;
constexpr std::string_view kBlank = " \t";

// A text with the bounds of its parts: "ab", "c" and "a", "bc" differ.
class Canonical {
 public:
  Canonical& add(std::string_view text) {
    text_ += std::to_string(text.size());
    text_ += ':';
    text_ += text;
    return *this;
  }
  Canonical& add(const std::optional<Expression>& expression) {
    return add(expression ? std::string_view(expression->text()) : std::string_view("-"));
  }
  Canonical& add(const Pattern& pattern) { return add(pattern.text); }
  Canonical& add(std::size_t number) { return add(std::to_string(number)); }
  Canonical& add(std::vector<std::string> texts) {
    add(texts.size());
    for (const std::string& text : texts) add(text);
    return *this;
  }
  Canonical& add(const std::map<std::string, std::string>& texts) {
    add(texts.size());
    for (const auto& [name, text] : texts) add(name).add(text);
    return *this;
  }

  std::string hash() const { return content_key(text_); }

 private:
  std::string text_;
};

void add_launches(Canonical& canonical, const std::vector<Launch>& launches) {
  canonical.add(launches.size());
  for (const Launch& launch : launches) {
    canonical.add(launch.entry)
        .add(launch.fill)
        .add(launch.fill_byte)
        .add(launch.shared_bytes)
        .add(launch.when);
    for (const auto& extent : launch.grid) canonical.add(extent);
    for (const auto& extent : launch.block) canonical.add(extent);
    canonical.add(launch.arguments);
  }
}

void add_argument(Canonical& canonical, const Argument& argument) {
  canonical.add(argument.name).add(argument.type).add(argument.value).add(argument.extent);
  canonical.add(static_cast<std::size_t>(argument.role));
  const Contents& contents = argument.contents;
  canonical.add(static_cast<std::size_t>(contents.kind)).add(contents.a).add(contents.b).add(contents.seed);
  canonical.add(contents.file).add(argument.check.has_value() ? "checked" : "unchecked");
  if (argument.check)
    canonical.add(argument.check->absolute).add(argument.check->relative).add(argument.check->ulp);
}

struct Include {
  std::string name;
  bool is_quoted = false;
};

std::vector<Include> includes_in(std::string_view text) {
  std::vector<Include> includes;
  const auto skip = [](std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  };
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    skip(line);
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip(line);
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip(line);
    if (!line.starts_with('"') && !line.starts_with('<')) continue;
    const bool is_quoted = line.front() == '"';
    const std::size_t end = line.find(is_quoted ? '"' : '>', 1);
    if (end != std::string_view::npos) includes.push_back({std::string(line.substr(1, end - 1)), is_quoted});
  }
  return includes;
}

}  // namespace

Includes included_files(const std::string& path, const std::string& text,
                        const std::vector<std::string>& include_dirs, const FileReader& files) {
  Includes found;
  std::vector<std::pair<std::filesystem::path, std::string>> open = {{path, text}};
  while (!open.empty()) {
    const auto [from, content] = std::move(open.back());
    open.pop_back();
    for (const Include& include : includes_in(content)) {
      std::vector<std::filesystem::path> folders(include_dirs.begin(), include_dirs.end());
      if (include.is_quoted) folders.insert(folders.begin(), from.parent_path());
      for (const auto& folder : folders) {
        const std::filesystem::path candidate = (folder / include.name).lexically_normal();
        if (found.contains(candidate.string())) break;
        if (found.size() == kMostIncludes) return found;
        auto read = files(candidate.string());
        if (!read) continue;
        open.emplace_back(candidate, *read);
        found.emplace(candidate.string(), *std::move(read));
        break;
      }
    }
  }
  return found;
}

std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        const Includes& source, const Includes& reference) {
  Canonical canonical;
  canonical.add(kernel.name).add(static_cast<std::size_t>(kernel.language));
  canonical.add(kernel.source_text).add(kernel.reference_text);
  // The names under which files are found depend on the working directory; their contents do not.
  std::vector<std::string> contents;
  for (const Includes* included : {&source, &reference}) {
    for (const auto& [path, text] : *included) contents.push_back(text);
  }
  std::ranges::sort(contents);
  canonical.add(contents);
  canonical.add(let);
  for (const auto* options : {&kernel.options, &kernel.host_options}) {
    canonical.add(options->size());
    for (const Option& option : *options) canonical.add(option.flag).add(option.when);
  }
  std::map<std::string, std::string> settings, axes, parameters;
  for (const Setting& setting : kernel.environment) settings[setting.name] = setting.value.text();
  for (const Axis& axis : kernel.axes) axes[axis.name] = axis.macro;
  for (const std::string& name : kernel.parameter_names) parameters[name];
  canonical.add(settings).add(axes).add(parameters);
  // Launches name their arguments in order; the order in which they are described means nothing.
  std::vector<Argument> arguments = kernel.arguments;
  std::ranges::sort(arguments, {}, &Argument::name);
  canonical.add(arguments.size());
  for (const Argument& argument : arguments) add_argument(canonical, argument);
  add_launches(canonical, kernel.launches);
  if (kernel.reference) add_launches(canonical, kernel.reference->launches);
  canonical.add(regime_name(kernel.regime));
  return canonical.hash();
}

}  // namespace gktune
