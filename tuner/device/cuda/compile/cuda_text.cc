#include "tuner/device/cuda/compile/cuda_text.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "tuner/source/kernel_code.h"
#include "tuner/source/tokens.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

using Kind = SourceLine::Kind;

// The namespace of a variant and the first folder in the paths of its diagnostics, gktune_variant_3_: the
// compiler and the assembler name one of them in every message. The line at the end separates the number from
// the next part of a mangled name, which begins with a digit.
constexpr std::string_view kVariant = "gktune_variant_";

std::string variant_name(std::size_t index) { return std::string(kVariant) + std::to_string(index) + '_'; }

using VariantMacros = std::vector<std::pair<std::string, std::string>>;

void define_macros(std::string& text, const VariantMacros& macros) {
  for (const auto& [name, value] : macros) text += "#define " + name + ' ' + value + '\n';
}

void undefine_own_macros(std::string& text, const VariantMacros& macros) {
  for (const auto& [name, value] : macros) text += "#undef " + name + '\n';
}

// Headers of CUDA and of the system may use the parameters' names with another meaning.
void add_system_include(std::string& text, const SourceLine& line, const VariantMacros& macros) {
  undefine_own_macros(text, macros);
  text += line.text;
  define_macros(text, macros);
}

void undefine_macros(std::string& text, const FlatSource& source, const VariantMacros& macros) {
  undefine_own_macros(text, macros);
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
  return line.kind == Kind::include || line.kind == Kind::system_include;
}

std::string blank_lines(const SourceLine& line) {
  return std::string(static_cast<std::size_t>(height_of(line)), '\n');
}

// #line 7 "a.cu" as #line 7 "gktune_variant_3/a.cu".
std::string marked_line(const SourceLine& line, const std::string& variant) {
  return line_directive(line.number, variant + '/' + line.name);
}

// A kernel in its own namespace needs no unmangled name.
std::string without_c_linkage(const std::string& text) {
  const std::vector<Token> tokens = code_tokens(text);
  Edits edits(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_c_linkage(tokens, i)) edits.replace(tokens[i], tokens[i + 1], "");
  }
  return edits.apply();
}

// The preprocessor's part of the variant, outside any namespace: the headers come in under its conditions.
void add_headers(std::string& text, const FlatSource& source, const VariantMacros& macros) {
  define_macros(text, macros);
  for (const auto& line : source.lines) {
    if (line.kind == Kind::system_include) {
      add_system_include(text, line, macros);
    } else if (line.kind == Kind::code || line.kind == Kind::directive) {
      text += blank_lines(line);
    } else {
      text += line.text;
    }
  }
  undefine_macros(text, source, macros);
}

void add_body(std::string& text, const FlatSource& source, const SourcePlan& variant,
              const std::string& name) {
  FlatSource own = source;
  keep_kernels(own, variant);
  const VariantMacros macros = macros_for(own, variant);
  define_macros(text, macros);
  text += "namespace " + name + " {\n";
  std::string body;
  for (const auto& line : own.lines) {
    body += is_include(line)           ? blank_lines(line)
            : line.kind == Kind::place ? marked_line(line, name)
                                       : line.text;
  }
  text += without_c_linkage(body) + "\n}\n";
  undefine_macros(text, source, macros);
}

bool has_includes(const FlatSource& source) { return std::ranges::any_of(source.lines, is_include); }

}  // namespace

bool can_share_text(const FlatSource& source) {
  const std::string text = text_of(source);
  const std::vector<Token> tokens = code_tokens(text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (is_c_linkage(tokens, i) && tokens[i + 2] == "{") return false;
  }
  return true;
}

CudaText cuda_text_of_one(const FlatSource& source, const SourcePlan& variant) {
  CudaText program{implied_includes(source), {}};
  const VariantMacros macros = macros_for(source, variant);
  define_macros(program.text, macros);
  for (const auto& line : source.lines) {
    if (line.kind == Kind::system_include) {
      add_system_include(program.text, line, macros);
    } else {
      program.text += line.text;
    }
  }
  program.entries.push_back(variant.entries);
  return program;
}

CudaText cuda_text_of_many(const FlatSource& source, std::span<const SourcePlan* const> variants) {
  CudaText program{implied_includes(source), {}};
  if (has_includes(source)) {
    for (const SourcePlan* variant : variants)
      add_headers(program.text, source, macros_for(source, *variant));
  }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    add_body(program.text, source, *variants[i], variant_name(i));
    auto& entries = program.entries.emplace_back();
    for (const auto& entry : variants[i]->entries) {
      const bool is_variable = entry.starts_with('&');
      entries.push_back((is_variable ? "&" : "") + variant_name(i) +
                        "::" + entry.substr(is_variable ? 1 : 0));
    }
  }
  return program;
}

std::optional<std::size_t> variant_in_log(std::string_view text) {
  const auto at = text.find(kVariant);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t index = 0;
  const auto parsed = std::from_chars(text.data() + at + kVariant.size(), text.data() + text.size(), index);
  return parsed.ec == std::errc() ? std::optional(index) : std::nullopt;
}

std::string without_variant_names(std::string text) {
  for (auto at = text.find(kVariant); at != std::string::npos; at = text.find(kVariant, at)) {
    const auto end = text.find('_', at + kVariant.size());
    const std::string_view behind = std::string_view(text).substr(std::min(end, text.size() - 1) + 1);
    std::size_t erased = 0;  // stays 0 in a mangled name
    for (const std::string_view separator : {"/", "::", " :: "}) {
      if (behind.starts_with(separator)) erased = end + 1 - at + separator.size();
    }
    text.erase(at, erased);
    if (erased == 0) ++at;
  }
  return text;
}

}  // namespace gktune
