#include "tuner/repro/enclosed_source.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "tuner/space/source_lines.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using Kind = SourceLine::Kind;

bool is_blank(const std::string& line) {
  return std::ranges::all_of(line, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
}

// How a line of the preprocessor changes how many conditions are open.
int depth_change(const std::string& condition) {
  const std::size_t at = condition.find_first_not_of(" \t", condition.find('#') + 1);
  if (condition.compare(at, 2, "if") == 0) return 1;
  return condition.compare(at, 5, "endif") == 0 ? -1 : 0;
}

// Two of one unmangled name would be one kernel, whatever namespaces they are in.
void blank_linkage_of_kernels(std::string& text) {
  constexpr std::string_view kExtern = "extern";
  for (auto at = text.find(kExtern); at != std::string::npos; at = text.find(kExtern, at + 1)) {
    const auto quote = text.find_first_not_of(" \t\n", at + kExtern.size());
    if (quote == std::string::npos || text.compare(quote, 3, "\"C\"") != 0) continue;
    const auto after = text.find_first_not_of(" \t\n", quote + 3);
    if (after == std::string::npos || text.compare(after, 10, "__global__") != 0) continue;
    text.erase(at, after - at);
  }
}

struct File {
  fs::path path;
  std::string text;
};

class Encloser {
 public:
  Encloser(const SourcePlan& source, const std::string& name) : source_(source), name_(name) {}

  std::string run() {
    add_file({fs::path(source_.path).lexically_normal(), source_.text});
    open();
    close();
    for (const std::string& macro : own_macros_) text_ += "#undef " + macro + '\n';
    blank_linkage_of_kernels(text_);
    return std::move(text_);
  }

 private:
  void add_file(const File& file) {
    including_.push_back(file.path);
    const std::vector<SourceLine> lines = split_source(file.text);
    const bool once =
        including_.size() > 1 && std::ranges::find(lines, Kind::once, &SourceLine::kind) != lines.end();
    if (once) begin_once(file.path);
    std::size_t at = 0;
    for (const SourceLine& line : lines) {
      // The same lines as they were written, with their comments.
      std::size_t end = at;
      for (auto feeds = std::ranges::count(line.text, '\n'); feeds > 0; --feeds)
        end = file.text.find('\n', end) + 1;
      if (end <= at || end > file.text.size()) end = file.text.size();
      std::string written = file.text.substr(at, end - at);
      if (!written.ends_with('\n')) written += '\n';
      add_line(line, written, file.path);
      at = end;
    }
    if (once) end_once();
    including_.pop_back();
  }

  void add_line(const SourceLine& line, const std::string& written, const fs::path& includer) {
    if (line.kind == Kind::once) return;
    if (line.kind == Kind::include) {
      const auto file = find(line.name, includer);
      if (!file) {
        add_system_include(written);
      } else if (std::ranges::find(including_, file->path) == including_.end()) {
        add_file(*file);
      }
      return;
    }
    // Comments and what the system's headers need come first.
    if (line.kind != Kind::code || !is_blank(line.text)) open();
    if (line.kind == Kind::define) own_macros_.insert(line.name);
    if (line.kind == Kind::condition) depth_ += depth_change(line.text);
    text_ += written;
  }

  void add_system_include(const std::string& written) {
    const bool was_open = is_open_;
    close();
    text_ += written;
    // A condition must leave things as it found them.
    if (was_open && depth_ > 0) open();
  }

  void begin_once(const fs::path& path) {
    open();
    std::string guard = "INCLUDED_IN_" + name_ + '_' + path.string();
    for (char& c : guard) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    text_ += "#ifndef " + guard + "\n#define " + guard + '\n';
    ++depth_;
  }
  void end_once() {
    text_ += "#endif\n";
    --depth_;
  }

  void open() {
    if (is_open_) return;
    is_open_ = true;
    for (const auto& [name, value] : source_.macros) text_ += "#define " + name + ' ' + value + '\n';
    text_ += "namespace " + name_ + " {\n";
  }

  void close() {
    if (!is_open_) return;
    is_open_ = false;
    text_ += "}  // namespace " + name_ + '\n';
    for (const auto& macro : source_.macros) text_ += "#undef " + macro.first + '\n';
  }

  std::optional<File> find(const std::string& name, const fs::path& includer) const {
    if (name.size() < 3) return std::nullopt;
    const std::string bare = name.substr(1, name.size() - 2);
    std::vector<fs::path> folders(source_.include_dirs.begin(), source_.include_dirs.end());
    if (name.front() == '"') folders.insert(folders.begin(), includer.parent_path());
    for (const fs::path& folder : folders) {
      const fs::path path = (folder / bare).lexically_normal();
      if (auto text = read_whole_file(path.string())) return File{path, *std::move(text)};
    }
    return std::nullopt;
  }

  const SourcePlan& source_;
  const std::string& name_;
  std::string text_;
  std::vector<fs::path> including_;
  std::set<std::string> own_macros_;
  bool is_open_ = false;
  int depth_ = 0;  // conditions that are open
};

}  // namespace

std::string enclosed_source(const SourcePlan& source, const std::string& name) {
  return Encloser(source, name).run();
}

}  // namespace gktune
