#include "tuner/device/host/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "tuner/core/letters.h"
#include "tuner/device/host/include_finder.h"
#include "tuner/device/worker/whole_file.h"

namespace gktune {
namespace {

int count_lines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Where the string, character or comment that begins at `at` ends; `at` itself where none does.
std::size_t end_of_opaque(std::string_view text, std::size_t at) {
  const auto find = [&](std::string_view what, std::size_t from) {
    const std::size_t found = text.find(what, from);
    return found == std::string_view::npos ? text.size() : found + what.size();
  };
  if (text.substr(at, 2) == "/*") return find("*/", at + 2);
  if (text.substr(at, 2) == "//") {
    std::size_t end = text.find('\n', at);
    while (end != std::string_view::npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return end == std::string_view::npos ? text.size() : end;
  }
  if (text.substr(at, 2) == "R\"") {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    return find(fmt::format("){}\"", text.substr(at + 2, open - at - 2)), open);
  }
  // A ' within a number separates its digits.
  if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !is_word(text[at - 1])))) {
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == text[at]) {
        return i + 1;
      }
    }
    return text.size();
  }
  return at;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (text[at] == '/' && end_of_opaque(text, at) != at) {
      at = end_of_opaque(text, at);
    } else {
      break;
    }
  }
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

// Behind the bracket that closes the one at `at`.
std::size_t end_of_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size();) {
    if (const std::size_t end = end_of_opaque(text, i); end != i) {
      i = end;
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    ++i;
    if (depth == 0) return i;
  }
  return text.size();
}

// "float", "tile", "[16]" for `__align__(16) float tile[][16]`; no name where it is something else.
struct SharedDeclaration {
  std::string type, name, inner;
};

SharedDeclaration parse_shared(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = word_at(text, at);
    if (word == "__align__" || word == "__attribute__" || word == "alignas") {
      at = end_of_brackets(text, skip_space(text, at + word.size()));
    } else if (!word.empty()) {
      plain += word;
      at += word.size();
    } else if (const std::size_t end = end_of_opaque(text, at); end != at) {
      at = end;
    } else {
      plain += text[at] == '\n' ? ' ' : text[at];
      ++at;
    }
  }
  const std::size_t open = plain.find('['), close = plain.find(']');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::size_t name_end = open;
  while (name_end > 0 && !is_word(plain[name_end - 1])) --name_end;
  std::size_t name_begin = name_end;
  while (name_begin > 0 && is_word(plain[name_begin - 1])) --name_begin;
  return {plain.substr(0, name_begin), plain.substr(name_begin, name_end - name_begin),
          plain.substr(close + 1)};
}

class Rewriter {
 public:
  Rewriter(const SourcePlan& source, KernelSource& result)
      : source_(source), finder_(source.include_dirs), result_(result) {}

  void run() {
    file(source_.text, source_.path);
    if (!has_system_includes_) return;
    result_.headers = macros_of_conditions() + headers_ + no_macros_of_conditions();
    for (const std::string& name : result_.macros) result_.headers += fmt::format("#undef {}\n", name);
  }

 private:
  void file(std::string_view text, const std::string& name) {
    result_.text += line_directive(1, name);
    const std::size_t length = text.size();
    int line = 1;
    bool is_line_start = true;
    for (std::size_t at = 0; at < length;) {
      const std::size_t begin = at;
      if (is_line_start && text[at] == '#') {
        at = directive(text, at, line, name);
      } else if (const std::size_t end = end_of_opaque(text, at); end != at) {
        result_.text += text.substr(at, end - at);
        at = end;
      } else if (is_word(text[at])) {
        at = word(text, at);
      } else {
        note_punctuation(text[at]);
        result_.text += text[at++];
      }
      const std::string_view passed = text.substr(begin, at - begin);
      line += count_lines(passed);
      for (const char c : passed) is_line_start = c == '\n' || (is_line_start && (c == ' ' || c == '\t'));
    }
    if (!result_.text.ends_with('\n')) result_.text += '\n';
  }

  // Conditions know the parameters, and that this is CUDA; the system's headers know neither.
  std::string macros_of_conditions() const {
    std::string text = "#define __CUDACC__ 1\n";
    for (const auto& [name, value] : source_.macros) text += fmt::format("#define {} {}\n", name, value);
    return text;
  }
  std::string no_macros_of_conditions() const {
    std::string text = "#undef __CUDACC__\n";
    for (const auto& [name, value] : source_.macros) text += fmt::format("#undef {}\n", name);
    return text;
  }

  // Keeps as many lines as what it stands for.
  void replace(std::string_view original, std::string_view replacement) {
    result_.text += replacement;
    result_.text.append(static_cast<std::size_t>(count_lines(original)), '\n');
  }

  std::size_t directive(std::string_view text, std::size_t at, int line, const std::string& name) {
    std::size_t end = text.find('\n', at);
    while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view whole = text.substr(at, end - at);
    const std::string_view body = whole.substr(1);
    if (const std::optional<IncludeName> include = parse_include(body)) {
      this->include(*include, line, name);
      return end;
    }
    const std::size_t first = skip_space(body, 0);
    const std::string_view keyword = word_at(body, first);
    if (keyword == "define") {
      const std::string_view macro = word_at(body, skip_space(body, first + keyword.size()));
      result_.macros.emplace_back(macro);
    }
    constexpr std::string_view kOfConditions[] = {"define", "undef", "if",   "ifdef",
                                                  "ifndef", "elif",  "else", "endif"};
    if (std::ranges::find(kOfConditions, keyword) != std::end(kOfConditions)) {
      headers_ += line_directive(line, name);
      headers_ += whole;
    }
    if (keyword == "pragma" && word_at(body, skip_space(body, first + keyword.size())) == "once") {
      result_.text += '\n';
    } else {
      result_.text += whole;
    }
    return end;
  }

  void include(const IncludeName& include, int line, const std::string& includer) {
    const std::optional<std::filesystem::path> path = finder_.find(include, includer);
    const std::optional<std::string> text = path ? read_whole(*path) : std::nullopt;
    if (!text) {
      has_system_includes_ = true;
      headers_ += no_macros_of_conditions() + line_directive(line, includer);
      headers_ += include.is_quoted ? fmt::format("#include \"{}\"\n", include.path)
                                    : fmt::format("#include <{}>\n", include.path);
      headers_ += macros_of_conditions();
      result_.text += '\n';
      return;
    }
    // Guarded or not, once is what is meant, and what ends an inclusion that goes in circles.
    if (included_.insert(path->lexically_normal().string()).second) {
      file(*text, path->string());
      result_.text += line_directive(line + 1, includer);
    } else {
      result_.text += '\n';
    }
  }

  std::size_t word(std::string_view text, std::size_t at) {
    const std::string_view word = word_at(text, at);
    const std::size_t end = at + word.size();
    if (word == "extern") return external(text, at);
    if (word == "asm" || word == "__asm__" || word == "__asm") {
      std::size_t open = skip_space(text, end);
      while (open < text.size() && is_word(text[open]))
        open = skip_space(text, open + word_at(text, open).size());
      if (open < text.size() && text[open] == '(') {
        const std::size_t close = end_of_brackets(text, open);
        replace(text.substr(at, close - at), "::gktune::kernel::inline_ptx()");
        return close;
      }
    }
    if (word == "namespace") is_namespace_next_ = true;
    result_.text += word;
    return end;
  }

  std::size_t external(std::string_view text, std::size_t at) {
    constexpr std::string_view kExtern = "extern", kShared = "__shared__";
    const std::size_t next = skip_space(text, at + kExtern.size());
    if (word_at(text, next) == kShared) {
      const std::size_t end = text.find(';', next);
      if (end != std::string_view::npos) {
        const std::size_t begin = next + kShared.size();
        const SharedDeclaration shared = parse_shared(text.substr(begin, end - begin));
        if (!shared.name.empty()) {
          const bool is_in_function = function_depth() > 0;
          replace(text.substr(at, end - at),
                  is_in_function ? fmt::format("auto& {} = ::gktune::kernel::dynamic_shared<{} {}>()",
                                               shared.name, shared.type, shared.inner)
                                 : fmt::format("static const ::gktune::kernel::DynamicShared<{} {}> {}{{}}",
                                               shared.type, shared.inner, shared.name));
          return end;
        }
      }
    }
    // Linkage means nothing to the engine, and would make one function of the kernels of several variants.
    if (text.substr(next, 3) == "\"C\"") {
      const std::size_t end = next + 3;
      const bool is_block = text.substr(skip_space(text, end), 1) == "{";
      if (is_block) is_namespace_next_ = true;
      replace(text.substr(at, end - at), is_block ? "inline namespace gktune_c" : "");
      return end;
    }
    result_.text += kExtern;
    return at + kExtern.size();
  }

  void note_punctuation(char c) {
    if (c == '{') {
      is_namespace_.push_back(is_namespace_next_);
    } else if (c == '}' && !is_namespace_.empty()) {
      is_namespace_.pop_back();
    }
    if (c == '{' || c == '}' || c == ';' || c == '=') is_namespace_next_ = false;
  }

  std::ptrdiff_t function_depth() const {
    return std::count(is_namespace_.begin(), is_namespace_.end(), false);
  }

  const SourcePlan& source_;
  IncludeFinder finder_;
  KernelSource& result_;
  std::string headers_;
  bool has_system_includes_ = false;
  std::set<std::string> included_;
  std::vector<bool> is_namespace_;  // of each brace that is open
  bool is_namespace_next_ = false;
};

void add_included_text(const IncludeFinder& finder, std::string_view text, const std::filesystem::path& name,
                       std::set<std::string>& seen, std::string& all) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string_view::npos || line[hash] != '#') continue;
    const std::optional<IncludeName> include = parse_include(line.substr(hash + 1));
    const auto path = include ? finder.find(*include, name) : std::nullopt;
    if (!path || !seen.insert(path->lexically_normal().string()).second) continue;
    if (const std::optional<std::string> included = read_whole(*path)) {
      all += fmt::format("{}\n{}\n", path->string(), *included);
      add_included_text(finder, *included, *path, seen, all);
    }
  }
}

}  // namespace

KernelSource read_kernel_source(const SourcePlan& source) {
  KernelSource result;
  Rewriter(source, result).run();
  return result;
}

std::string included_text(const SourcePlan& source) {
  std::set<std::string> seen;
  std::string all;
  add_included_text(IncludeFinder(source.include_dirs), source.text, source.path, seen, all);
  return all;
}

std::string line_directive(int line, const std::string& file) {
  std::string quoted;
  for (const char c : file) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format("#line {} \"{}\"\n", line, quoted);
}

}  // namespace gktune
