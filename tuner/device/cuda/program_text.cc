#include "tuner/device/cuda/program_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tuner/device/cuda/unused_kernels.h"

namespace gktune {
namespace {

using Kind = SourceLine::Kind;

// Stands in a variant's names as its namespace, in the paths that its diagnostics give as a first folder, and
// so in all that the compiler or the assembler says of it.
constexpr std::string_view kVariant = "gktune_variant_";

std::string variant_name(std::size_t index) { return std::string(kVariant) + std::to_string(index); }

void define_macros(std::string& text, const SourcePlan& variant) {
  for (const auto& [name, value] : variant.macros) text += "#define " + name + ' ' + value + '\n';
}

void undefine_own_macros(std::string& text, const SourcePlan& variant) {
  for (const auto& [name, value] : variant.macros) text += "#undef " + name + '\n';
}

// The toolkit's headers know nothing of parameters, and may use their names for something else.
void add_toolkit_include(std::string& text, const SourceLine& line, const SourcePlan& variant) {
  undefine_own_macros(text, variant);
  text += line.text;
  define_macros(text, variant);
}

void undefine_macros(std::string& text, const FlatSource& source, const SourcePlan& variant) {
  undefine_own_macros(text, variant);
  std::vector<std::string_view> names;
  for (const auto& line : source.lines) {
    if (line.kind == Kind::define) names.push_back(line.name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  for (std::string_view name : names) text.append("#undef ").append(name) += '\n';
}

bool is_include(const SourceLine& line) {
  return line.kind == Kind::include || line.kind == Kind::toolkit_include;
}

bool is_line_mark(const SourceLine& line) {
  return line.kind == Kind::directive && line.text.starts_with("#line ");
}

// #line 7 "a.cu" as #line 7 "gktune_variant_3/a.cu".
std::string marked_line(const SourceLine& line, const std::string& variant) {
  std::string text = line.text;
  const auto quote = text.find('"');
  if (quote != std::string::npos) text.insert(quote + 1, variant + '/');
  return text;
}

// `extern "C"` turned into blanks: in a namespace of its own a kernel needs no unmangled name.
void erase_language_linkage(std::string& text) {
  for (auto at = text.find("extern"); at != std::string::npos; at = text.find("extern", at + 1)) {
    const auto quote = text.find_first_not_of(" \t\n", at + 6);
    if (quote != std::string::npos && text.compare(quote, 3, "\"C\"") == 0) {
      for (auto i = at; i < quote + 3; ++i) {
        if (text[i] != '\n') text[i] = ' ';
      }
    }
  }
}

// What the preprocessor alone makes of the variant, outside any namespace: the headers come in as its
// conditions say.
void add_headers(std::string& text, const FlatSource& source, const SourcePlan& variant) {
  define_macros(text, variant);
  for (const auto& line : source.lines) {
    const bool is_needed =
        line.kind == Kind::include || line.kind == Kind::define || line.kind == Kind::condition;
    if (line.kind == Kind::toolkit_include) add_toolkit_include(text, line, variant);
    if (is_needed || is_line_mark(line)) text += line.text;
  }
  undefine_macros(text, source, variant);
}

void add_body(std::string& text, const FlatSource& source, const SourcePlan& variant,
              const std::string& name) {
  define_macros(text, variant);
  text += "namespace " + name + " {\n";
  std::string body;
  for (const auto& line : source.lines) {
    if (is_include(line)) {
      body.append(static_cast<std::size_t>(std::ranges::count(line.text, '\n')), '\n');
    } else {
      body += is_line_mark(line) ? marked_line(line, name) : line.text;
    }
  }
  erase_language_linkage(body);
  text += without_unused_kernels(std::move(body), variant.entries) + "\n}\n";
  undefine_macros(text, source, variant);
}

bool has_includes(const FlatSource& source) { return std::ranges::any_of(source.lines, is_include); }

}  // namespace

bool can_share_program(const FlatSource& source) {
  std::string code;
  for (const auto& line : source.lines) code += line.text;
  for (auto at = code.find("extern"); at != std::string::npos; at = code.find("extern", at + 1)) {
    const auto quote = code.find_first_not_of(" \t\n", at + 6);
    if (quote == std::string::npos || code.compare(quote, 3, "\"C\"") != 0) continue;
    const auto after = code.find_first_not_of(" \t\n", quote + 3);
    if (after != std::string::npos && code[after] == '{') return false;  // a block of them
  }
  return true;
}

ProgramText program_of_one(const FlatSource& source, const SourcePlan& variant, OtherKernels others) {
  ProgramText program;
  define_macros(program.text, variant);
  for (const auto& line : source.lines) {
    if (line.kind == Kind::toolkit_include) {
      add_toolkit_include(program.text, line, variant);
    } else {
      program.text += line.text;
    }
  }
  if (others == OtherKernels::drop)
    program.text = without_unused_kernels(std::move(program.text), variant.entries);
  program.entries.push_back(variant.entries);
  return program;
}

ProgramText program_of_many(const FlatSource& source, std::span<const SourcePlan* const> variants) {
  ProgramText program;
  if (has_includes(source)) {
    for (const SourcePlan* variant : variants) add_headers(program.text, source, *variant);
  }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    add_body(program.text, source, *variants[i], variant_name(i));
    auto& entries = program.entries.emplace_back();
    for (const auto& entry : variants[i]->entries) entries.push_back(variant_name(i) + "::" + entry);
  }
  return program;
}

std::optional<std::size_t> variant_in_log(std::string_view text) {
  const auto at = text.find(kVariant);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(at + kVariant.size());
  std::size_t index = 0;
  // The assembler's mangled names go on with the length of the next part: 16gktune_variant_05plain. The
  // length before tells how many digits belong to it.
  const auto name_length_end = at;
  auto name_length_start = at;
  while (name_length_start > 0 &&
         std::isdigit(static_cast<unsigned char>(text[name_length_start - 1])) != 0) {
    --name_length_start;
  }
  std::size_t digit_count = digits.size();
  std::size_t name_length = 0;
  if (std::from_chars(text.data() + name_length_start, text.data() + name_length_end, name_length).ec ==
          std::errc() &&
      name_length > kVariant.size()) {
    digit_count = std::min(digit_count, name_length - kVariant.size());
  }
  if (std::from_chars(digits.data(), digits.data() + digit_count, index).ec != std::errc())
    return std::nullopt;
  return index;
}

std::string without_variant_names(std::string text) {
  for (auto at = text.find(kVariant); at != std::string::npos; at = text.find(kVariant, at)) {
    auto end = at + kVariant.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end < text.size() && text[end] == '/') {
      text.erase(at, end + 1 - at);
    } else if (text.compare(end, 2, "::") == 0) {
      text.erase(at, end + 2 - at);
    } else if (text.compare(end, 4, " :: ") == 0) {
      text.erase(at, end + 4 - at);
    } else {
      at = end;  // part of a mangled name
    }
  }
  return text;
}

}  // namespace gktune
