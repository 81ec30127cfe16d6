#include "tuner/repro/enclosed_source.h"

#include <set>
#include <string_view>
#include <vector>

#include "tuner/source/edits.h"
#include "tuner/source/flat_source.h"
#include "tuner/space/kernel_source.h"

namespace gktune {
namespace {

using Kind = SourceLine::Kind;

// Two kernels with the same unmangled name would be one kernel, even in different namespaces.
std::string without_c_linkage_of_kernels(const std::string& text) {
  const std::vector<Token> tokens = code_tokens(text);
  Edits edits(text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (is_c_linkage(tokens, i) && tokens[i + 2] == "__global__") edits.replace(tokens[i], tokens[i + 1], "");
  }
  return edits.apply();
}

class Encloser {
 public:
  Encloser(const SourcePlan& source, const std::string& name)
      : source_(source), name_(name), macros_(source.macros) {}

  std::string run() {
    FlatSource flat = flatten(source_.path, source_.text, source_.include_dirs, AngleIncludes::expand);
    if (source_.language == Language::cuda) {
      keep_kernels(flat, source_);
      macros_ = macros_for(flat, source_);
    }
    for (const SourceLine& line : flat.lines) add(line);
    open();
    close();
    for (const std::string& macro : own_macros_) text_ += "#undef " + macro + '\n';
    return without_c_linkage_of_kernels(text_);
  }

 private:
  void add(const SourceLine& line) {
    if (line.kind == Kind::place) return;
    if (line.kind == Kind::system_include || line.kind == Kind::include) {
      add_include(line);
      return;
    }
    // Comments and includes of the system at the top stay outside.
    if (line.kind != Kind::code || !is_blank(line)) open();
    if (line.kind == Kind::define) own_macros_.insert(line.name);
    if (line.kind == Kind::condition) {
      if (line.name.starts_with("if")) ++depth_;
      if (line.name == "endif") --depth_;
    }
    text_ += line.written;
  }

  void add_include(const SourceLine& line) {
    const bool was_open = is_open_;
    close();
    text_ += line.written;
    // The namespace must be open behind a condition if it was open before.
    if (was_open && depth_ > 0) open();
  }

  void open() {
    if (is_open_) return;
    is_open_ = true;
    for (const auto& [name, value] : macros_) text_ += "#define " + name + ' ' + value + '\n';
    text_ += "namespace " + name_ + " {\n";
  }

  void close() {
    if (!is_open_) return;
    is_open_ = false;
    text_ += "}  // namespace " + name_ + '\n';
    for (const auto& macro : macros_) text_ += "#undef " + macro.first + '\n';
  }

  const SourcePlan& source_;
  const std::string& name_;
  std::vector<std::pair<std::string, std::string>> macros_;
  std::string text_;
  std::set<std::string> own_macros_;
  bool is_open_ = false;
  int depth_ = 0;  // conditions that are open
};

}  // namespace

std::string enclosed_source(const SourcePlan& source, const std::string& name) {
  return Encloser(source, name).run();
}

}  // namespace gktune
