#include "tuner/source/flat_source.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/source/tokens.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using Kind = SourceLine::Kind;

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<SourceLine> run() {
    const std::vector<Token> tokens = tokenize(text_);
    lines_.reserve(static_cast<std::size_t>(std::ranges::count(text_, '\n')) + 1);
    for (const Token& token : tokens) {
      add_blanks(static_cast<std::size_t>(token.text.data() - text_.data()));
      if (token.kind == Token::Kind::comment) {
        add_comment(token);
      } else {
        line_.text += token.text;
        if (token.is_directive) directive_.push_back(token);
      }
      at_ += token.text.size();
    }
    add_blanks(text_.size());
    if (!line_.text.empty()) {
      line_.text += '\n';
      end_line();
    }
    return std::move(lines_);
  }

 private:
  void add_blanks(std::size_t end) {
    while (at_ < end) {
      const std::size_t line_end = std::min(text_.find('\n', at_), end);
      const bool ends_line = line_end < end;
      const std::string_view blanks = text_.substr(at_, line_end + (ends_line ? 1 : 0) - at_);
      line_.text += blanks;
      at_ += blanks.size();
      if (!ends_line) continue;
      const std::string_view before = std::string_view(line_.text).substr(0, line_.text.size() - 1);
      if (!before.ends_with('\\') && !before.ends_with("\\\r")) end_line();
    }
  }

  void add_comment(const Token& comment) {
    for (const char c : comment.text) {
      if (c != '\n') {
        line_.text += ' ';
      } else if (comment.is_directive) {
        line_.text += "\\\n";
      } else {
        line_.text += '\n';
        end_line();
      }
    }
  }

  void end_line() {
    classify();
    line_.number = number_;
    number_ += height_of(line_);
    lines_.push_back(std::exchange(line_, {}));
    directive_.clear();
  }

  void classify() {
    if (directive_.empty()) return;
    const auto text = [&](std::size_t i) {
      return i < directive_.size() ? directive_[i].text : std::string_view();
    };
    const std::string_view keyword = text(1);
    if (keyword == "include") {
      line_.kind = Kind::include;
      line_.name = text(2);
    } else if (keyword == "define" || keyword == "undef") {
      line_.kind = keyword == "define" ? Kind::define : Kind::undef;
      line_.name = text(2);
    } else if (keyword.starts_with("if") || keyword.starts_with("el") || keyword == "endif") {
      line_.kind = Kind::condition;
      line_.name = keyword;
    } else if (keyword == "pragma" && text(2) == "once") {
      line_.kind = Kind::once;
    } else {
      line_.kind = Kind::directive;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int number_ = 1;
  SourceLine line_;
  std::vector<Token> directive_;  // tokens of the line, if it is a directive
  std::vector<SourceLine> lines_;
};

// After this many insertions an include stays an include.
constexpr int kMostInclusions = 2'000;

struct File {
  fs::path path;
  const std::string& text;
};

bool is_guarded_by(const SourceLine& condition, std::string_view macro) {
  const std::vector<Token> tokens = tokenize(condition.text);  // # ifndef MACRO
  return condition.name == "ifndef" && tokens.size() == 3 && tokens[2] == macro;
}

// The macro of an include guard around the whole file; empty if there is none.
std::string guard_of(const std::vector<SourceLine>& lines) {
  std::vector<const SourceLine*> written;
  for (const SourceLine& line : lines) {
    if (!is_blank(line)) written.push_back(&line);
  }
  if (written.size() < 3 || written[1]->kind != Kind::define || !is_guarded_by(*written[0], written[1]->name))
    return {};
  int depth = 0;
  for (const SourceLine* line : written) {
    if (line->kind != Kind::condition) continue;
    if (line->name.starts_with("if")) ++depth;
    if (line->name.starts_with("el") && depth == 1) return {};
    if (line->name == "endif" && --depth == 0) return line == written.back() ? written[1]->name : "";
  }
  return {};
}

class Flattener {
 public:
  Flattener(const std::vector<std::string>& include_dirs, AngleIncludes angles, const FileReader& read)
      : include_dirs_(include_dirs), angles_(angles), read_(read) {}

  FlatSource run(const std::string& path, const std::string& text) {
    add_file({fs::path(path).lexically_normal(), text});
    return std::move(result_);
  }

 private:
  void put(Kind kind, std::string text, std::string name) {
    SourceLine line;
    line.kind = kind;
    line.text = std::move(text);
    line.name = std::move(name);
    result_.lines.push_back(std::move(line));
  }
  void put_place(int number, const fs::path& path) {
    put(Kind::place, line_directive(number, path.string()), path.string());
    result_.lines.back().number = number;
  }

  void add_file(const File& file) {
    std::vector<SourceLine> lines = split_source(file.text);
    const bool is_included = !open_.empty();
    const bool is_once =
        is_included && std::ranges::find(lines, Kind::once, &SourceLine::kind) != lines.end();
    std::string guard = guard_of(lines);
    if (is_once) {
      guard = "GKTUNE_INCLUDED_" + std::to_string(once_.try_emplace(file.path, once_.size()).first->second);
      put(Kind::condition, "#ifndef " + guard + "\n", "ifndef");
      put(Kind::define, "#define " + guard + "\n", guard);
    }
    // The preprocessor may skip an include under a condition. Do not skip its next inclusion then.
    if (!guard.empty() && conditions_ == 0) guards_[file.path] = guard;
    open_.push_back(file.path);
    put_place(1, file.path);
    for (SourceLine& line : lines) add_line(std::move(line), file.path, guard);
    if (is_once) put(Kind::condition, "#endif\n", "endif");
    open_.pop_back();
  }

  void add_line(SourceLine line, const fs::path& path, const std::string& guard) {
    if (line.kind == Kind::condition) count_condition(line, guard);
    if (line.kind == Kind::undef) {
      std::erase_if(guards_, [&](const auto& guarded) { return guarded.second == line.name; });
    }
    if (line.kind == Kind::include) {
      const int next = line.number + height_of(line);
      add_include(std::move(line), path);
      put_place(next, path);
      return;
    }
    if (line.kind == Kind::once) {
      line.kind = Kind::code;
      line.text = "\n";
    }
    result_.lines.push_back(std::move(line));
  }

  // The include guard of a file is true where the file is inserted: it is not a condition.
  void count_condition(const SourceLine& line, const std::string& guard) {
    if (line.name.starts_with("if")) {
      const bool is_guard = !guard.empty() && is_guarded_by(line, guard);
      is_guard_.push_back(is_guard);
      if (!is_guard) ++conditions_;
    } else if (line.name == "endif" && !is_guard_.empty()) {
      if (!is_guard_.back()) --conditions_;
      is_guard_.pop_back();
    }
  }

  void add_include(SourceLine line, const fs::path& includer) {
    const bool is_quoted = line.name.starts_with('"'), is_angled = line.name.starts_with('<');
    const auto file = find(line.name, includer);
    if (!file && (is_quoted || is_angled)) {
      line.kind = Kind::system_include;
      // Macros may be set around it.
      line.text.insert(0, line_directive(line.number, includer.string()));
    }
    if (!file || (is_angled && angles_ == AngleIncludes::keep) || inclusions_ >= kMostInclusions) {
      if (file) note_files(*file);
      result_.lines.push_back(std::move(line));
      return;
    }
    const auto guarded = guards_.find(file->path);
    // A file that includes itself has a guard or is an error. Neither adds text.
    if (guarded != guards_.end() || std::ranges::find(open_, file->path) != open_.end()) return;
    ++inclusions_;
    add_file(*file);
  }

  std::optional<File> find(const std::string& name, const fs::path& includer) {
    if (name.size() < 3 || (name.front() != '"' && name.front() != '<')) return std::nullopt;
    std::vector<fs::path> folders(include_dirs_.begin(), include_dirs_.end());
    if (name.front() == '"') folders.insert(folders.begin(), includer.parent_path());
    for (const fs::path& folder : folders) {
      const fs::path path = (folder / name.substr(1, name.size() - 2)).lexically_normal();
      auto known = result_.files.find(path.string());
      if (known == result_.files.end()) {
        auto text = read_(path.string());
        if (!text) continue;
        known = result_.files.emplace(path.string(), *std::move(text)).first;
      }
      return File{path, known->second};
    }
    return std::nullopt;
  }

  // The files that are included by a file that stays an include.
  void note_files(const File& file) {
    if (!noted_.insert(file.path).second) return;
    for (const SourceLine& line : split_source(file.text)) {
      if (line.kind != Kind::include) continue;
      if (const auto inner = find(line.name, file.path)) note_files(*inner);
    }
  }

  const std::vector<std::string>& include_dirs_;
  const AngleIncludes angles_;
  const FileReader& read_;
  FlatSource result_;
  std::vector<fs::path> open_;  // the current file, behind those that include it
  std::map<fs::path, std::string>
      guards_;  // files that are left out from here on, with the macro of their guard
  std::map<fs::path, std::size_t> once_;  // a number for each file with #pragma once
  std::set<fs::path> noted_;
  std::vector<bool> is_guard_;  // for each open condition
  int conditions_ = 0;          // open conditions that are not include guards
  int inclusions_ = 0;
};

}  // namespace

std::vector<SourceLine> split_source(std::string_view text) {
  return Splitter(without_byte_order_mark(text)).run();
}

bool is_blank(const SourceLine& line) {
  return line.text.find_first_not_of(" \t\r\n\\") == std::string::npos;
}

int height_of(const SourceLine& line) { return static_cast<int>(std::ranges::count(line.text, '\n')); }

FlatSource flatten(const std::string& path, const std::string& text,
                   const std::vector<std::string>& include_dirs, AngleIncludes angles,
                   const FileReader& read) {
  return Flattener(include_dirs, angles, read).run(path, text);
}

std::vector<bool> unconditional_lines(const FlatSource& source) {
  std::vector<bool> result, is_guard;  // the second: of each #if that is open
  const std::vector<SourceLine>& lines = source.lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == Kind::condition && lines[i].name.starts_with("if")) {
      const bool is_followed = i + 1 < lines.size() && lines[i + 1].kind == Kind::define;
      is_guard.push_back(is_followed && is_guarded_by(lines[i], lines[i + 1].name));
    } else if (lines[i].kind == Kind::condition && lines[i].name == "endif" && !is_guard.empty()) {
      is_guard.pop_back();
    }
    result.push_back(std::ranges::find(is_guard, false) == is_guard.end());
  }
  return result;
}

std::string text_of(const FlatSource& source) {
  std::string text;
  for (const SourceLine& line : source.lines) text += line.text;
  return text;
}

std::string line_directive(int line, std::string_view file) {
  std::string text = "#line " + std::to_string(line) + " \"";
  for (const char c : file) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

Result<std::string> read_whole_file(const std::string& path) {
  constexpr std::size_t kLargestSource = 16 << 20;
  return read_whole(path, kLargestSource);
}

}  // namespace gktune
