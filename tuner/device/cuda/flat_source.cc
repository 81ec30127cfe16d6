#include "tuner/device/cuda/flat_source.h"

#include <algorithm>
#include <optional>
#include <set>

#include "tuner/device/worker/whole_file.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

struct File {
  fs::path path;
  std::string text;
};

class Flattener {
 public:
  explicit Flattener(const std::vector<std::string>& include_dirs) : include_dirs_(include_dirs) {}

  void add(const fs::path& path, const std::string& text) {
    open_.push_back(path);
    auto lines = split_source(text);
    const bool once = std::ranges::find(lines, SourceLine::Kind::once, &SourceLine::kind) != lines.end();
    std::string guard;
    if (once && open_.size() > 1) {
      guard = "GKTUNE_INCLUDED_" + std::to_string(std::hash<std::string>()(path.string()));
      put(SourceLine::Kind::condition, "#ifndef " + guard + "\n", "");
      put(SourceLine::Kind::define, "#define " + guard + "\n", guard);
    }
    mark(1, path);
    std::size_t number = 1;
    for (auto& line : lines) {
      const auto height = static_cast<std::size_t>(std::ranges::count(line.text, '\n'));
      if (line.kind == SourceLine::Kind::once) {
        put(SourceLine::Kind::code, "\n", "");
      } else if (line.kind != SourceLine::Kind::include) {
        result_.lines.push_back(std::move(line));
      } else {
        add_included(std::move(line), path);
        mark(number + height, path);
      }
      number += height;
    }
    if (!guard.empty()) put(SourceLine::Kind::condition, "#endif\n", "");
    open_.pop_back();
  }

  FlatSource run(const std::string& path, const std::string& text) {
    add(fs::path(path).lexically_normal(), text);
    return std::move(result_);
  }

 private:
  void put(SourceLine::Kind kind, std::string text, std::string name) {
    result_.lines.push_back({kind, std::move(text), std::move(name)});
  }
  void mark(std::size_t number, const fs::path& path) {
    put(SourceLine::Kind::directive, "#line " + std::to_string(number) + " \"" + path.string() + "\"\n", "");
  }

  std::optional<File> find(const std::string& name, const fs::path* includer) const {
    std::vector<fs::path> candidates;
    if (includer != nullptr) candidates.push_back(includer->parent_path() / name);
    for (const auto& dir : include_dirs_) candidates.push_back(fs::path(dir) / name);
    for (const auto& candidate : candidates) {
      if (auto text = read_whole(candidate)) return File{candidate.lexically_normal(), std::move(*text)};
    }
    return std::nullopt;
  }

  // In its place where it is found by "…"; by <…> it stays where it lies.
  void add_included(SourceLine line, const fs::path& includer) {
    const std::string name = line.name.size() < 3 ? "" : line.name.substr(1, line.name.size() - 2);
    const bool is_quoted = line.name.starts_with('"');
    const auto file = find(name, is_quoted ? &includer : nullptr);
    if (file && is_quoted) {
      // In a file that is being included already its own guard would leave nothing of it.
      if (std::ranges::find(open_, file->path) == open_.end()) add(file->path, file->text);
      return;
    }
    if (file) note_included(*file);
    if (!file && line.name.starts_with('<')) line.kind = SourceLine::Kind::toolkit_include;
    result_.lines.push_back(std::move(line));
  }

  void note_included(const File& file) {
    if (!noted_.insert(file.path.string()).second) return;
    result_.included += file.path.string() + '\n' + file.text + '\n';
    for (const auto& line : split_source(file.text)) {
      if (line.kind != SourceLine::Kind::include || line.name.size() < 3) continue;
      const std::string name = line.name.substr(1, line.name.size() - 2);
      const auto inner = find(name, line.name.starts_with('"') ? &file.path : nullptr);
      if (inner) note_included(*inner);
    }
  }

  const std::vector<std::string>& include_dirs_;
  std::vector<fs::path> open_;
  std::set<std::string> noted_;
  FlatSource result_;
};

}  // namespace

FlatSource flatten(const std::string& path, const std::string& text,
                   const std::vector<std::string>& include_dirs) {
  return Flattener(include_dirs).run(path, text);
}

}  // namespace gktune
