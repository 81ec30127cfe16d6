#include "tuner/device/host/compile/translation_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/host/compile/kernel_headers.h"
#include "tuner/source/flat_source.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/tokens.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

using Kind = SourceLine::Kind;

std::string blank_lines(const SourceLine& line) {
  return std::string(static_cast<std::size_t>(height_of(line)), '\n');
}

// "float", "tile", "[16]" for `__align__(16) float tile[][16]`; no name if it is something else.
struct SharedDeclaration {
  std::string type, name, inner;
};

SharedDeclaration parse_shared(Tokens tokens) {
  SharedDeclaration declaration;
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token == "__align__" || token == "__attribute__" || token == "alignas") {
      if (i + 1 < tokens.size()) i = closing_bracket(tokens, i + 1);
    } else if (token == "[" && declaration.name.empty()) {
      if (i == 0 || tokens[i - 1].kind != Token::Kind::word) return {};
      declaration.name = tokens[i - 1].text;
      declaration.type = text.substr(0, text.size() - declaration.name.size() - 1);
      i = closing_bracket(tokens, i);
      text.clear();
    } else {
      text.append(token.text) += ' ';
    }
  }
  declaration.inner = text;
  return declaration;
}

// Rewrites constructs that only CUDA accepts.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : all_(code_tokens(text)), tokens_(all_), edits_(text) {}

  std::string run() {
    for (std::size_t i = 0; i < tokens_.size();) i = rewrite(i);
    return edits_.apply();
  }

 private:
  // The index of the next token.
  std::size_t rewrite(std::size_t i) {
    const Token& token = tokens_[i];
    if (linkage_ends_.contains(i)) {
      edits_.replace(token, token, "");
      return i + 1;
    }
    if (token.kind == Token::Kind::punctuation) note_punctuation(token.text.front());
    if (token.kind != Token::Kind::word) return i + 1;
    if (token == "namespace") is_namespace_next_ = true;
    if (token == "extern") return rewrite_extern(i);
    if (token == "__shared__" || token == "static") return rewrite_shared(i);
    if (token == "asm" || token == "__asm__" || token == "__asm") return rewrite_assembly(i);
    return i + 1;
  }

  std::size_t rewrite_assembly(std::size_t i) {
    std::size_t open = i + 1;
    while (open < tokens_.size() && tokens_[open].kind == Token::Kind::word) ++open;
    if (open == tokens_.size() || tokens_[open] != "(") return i + 1;
    const std::size_t close = closing_bracket(tokens_, open);
    if (close == tokens_.size()) return i + 1;
    edits_.replace(tokens_[i], tokens_[close], "::gktune::kernel::inline_ptx()");
    return close + 1;
  }

  std::size_t rewrite_extern(std::size_t i) {
    // Drop the linkage: the C library may have a function of that name.
    if (is_c_linkage(tokens_, i)) {
      const bool is_block = i + 2 < tokens_.size() && tokens_[i + 2] == "{";
      if (is_block) linkage_ends_.insert(closing_bracket(tokens_, i + 2));
      const std::size_t last = is_block ? i + 2 : i + 1;
      edits_.replace(tokens_[i], tokens_[last], "");
      return last + 1;
    }
    const auto end = static_cast<std::size_t>(
        std::ranges::find(tokens_.subspan(i), std::string_view(";"), &Token::text) - tokens_.begin());
    if (end == tokens_.size()) return i + 1;
    std::vector<Token> words(tokens_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             tokens_.begin() + static_cast<std::ptrdiff_t>(end));
    if (std::erase(words, "__shared__") == 0) return i + 1;  // extern float __shared__ tile[]
    const SharedDeclaration shared = parse_shared(words);
    if (shared.name.empty()) return i + 1;
    const bool is_in_function = std::ranges::find(is_namespace_, false) != is_namespace_.end();
    edits_.replace(tokens_[i], tokens_[end - 1],
                   is_in_function ? fmt::format("auto& {} = ::gktune::kernel::dynamic_shared<{} {}>()",
                                                shared.name, shared.type, shared.inner)
                                  : fmt::format("static const ::gktune::kernel::DynamicShared<{} {}> {}{{}}",
                                                shared.type, shared.inner, shared.name));
    return end;
  }

  // `static` stands for __shared__: `static __shared__ float tile[16]` has it twice. C++ has alignas in front
  // of it: `__shared__ alignas(16) float tile[16]`.
  std::size_t rewrite_shared(std::size_t i) {
    if (i + 2 >= tokens_.size()) return i + 1;
    if (tokens_[i] == "static" ? tokens_[i + 1] == "__shared__" : tokens_[i + 1] == "static") {
      edits_.replace(tokens_[i], tokens_[i + 1], "__shared__");
      return i + 2;
    }
    if (tokens_[i] == "static" || tokens_[i + 1] != "alignas") return i + 1;
    const std::size_t close = closing_bracket(tokens_, i + 2);
    if (close == tokens_.size()) return i + 1;
    std::string alignment;
    for (const Token& token : tokens_.subspan(i + 1, close - i)) alignment.append(token.text) += ' ';
    edits_.replace(tokens_[i], tokens_[close], alignment + "__shared__");
    return close + 1;
  }

  void note_punctuation(char c) {
    if (c == '{') {
      is_namespace_.push_back(is_namespace_next_);
    } else if (c == '}' && !is_namespace_.empty()) {
      is_namespace_.pop_back();
    }
    if (c == '{' || c == '}' || c == ';' || c == '=') is_namespace_next_ = false;
  }

  std::vector<Token> all_;
  Tokens tokens_;
  std::set<std::size_t> linkage_ends_;  // the places of } that end extern "C" {
  Edits edits_;
  std::vector<bool> is_namespace_;  // of each brace that is open
  bool is_namespace_next_ = false;
};

using Macros = std::vector<std::pair<std::string, std::string>>;

std::string definitions(const Macros& macros) {
  std::string text;
  for (const auto& [name, value] : macros) text += fmt::format("#define {} {}\n", name, value);
  return text;
}

std::string undefinitions(const Macros& macros) {
  std::string text;
  for (const auto& [name, value] : macros) text += fmt::format("#undef {}\n", name);
  return text;
}

// The source with its author's own includes put in. The libraries that the host device provides or refuses
// stay includes, even where the folders have their own.
FlatSource flat_source(const SourcePlan& source) {
  const auto read_own = [&](const std::string& path) -> Result<std::string> {
    if (is_of_library(path, source.include_dirs)) return Error{"a library's"};
    return read_whole_file(path);
  };
  FlatSource flat = flatten(source.path, source.text, source.include_dirs, AngleIncludes::expand, read_own);
  keep_kernels(flat, source);
  return flat;
}

// The system's headers, under the conditions of the source. Preprocessor conditions see the parameters and
// CUDA's macros; the headers see neither.
std::string headers_of(const FlatSource& flat, const Macros& values, const std::string& curand,
                       std::string_view body) {
  const std::string define = "#define __CUDACC__ 1\n" + definitions(values);
  const std::string undefine = "#undef __CUDACC__\n" + undefinitions(values);
  const std::string implied = implied_includes(flat);
  std::string headers = implied + define;
  Macros own;  // that the source defines, and may leave defined
  bool has_headers = !implied.empty();
  for (const SourceLine& line : flat.lines) {
    if (line.kind == Kind::define) own.emplace_back(line.name, "");
    if (line.kind == Kind::system_include) {
      has_headers = true;
      // Another library's headers would clash with ours in hundreds of lines.
      const auto refusal = unsupported_header(line.name, !curand.empty(), body);
      const std::string place = line.text.substr(0, line.text.find('\n') + 1);  // a #line
      // Most headers of other libraries serve host code: one that is not found is empty.
      const std::string found = line.name.starts_with('<')
                                    ? "#if __has_include(" + line.name + ")\n" + line.text + "#endif\n"
                                    : line.text;
      const std::string error =
          refusal && !refusal->empty() ? place + "#error \"" + *refusal + "\"\n" : blank_lines(line);
      headers += undefine + (refusal ? error : found) + define;
    } else if (line.kind == Kind::define || line.kind == Kind::undef || line.kind == Kind::condition ||
               line.kind == Kind::place) {
      headers += line.text;
    } else {
      headers += blank_lines(line);
    }
  }
  if (headers.find("curand_kernel.h") != headers.npos)
    headers.insert(0, fmt::format("#define GKTUNE_CURAND \"{}\"\n", curand));
  return has_headers ? headers + undefine + undefinitions(own) : "";
}

// The rest of the source, line for line, with the few constructs rewritten that no macro can express.
std::string body_of(const FlatSource& flat) {
  std::string text;
  for (const SourceLine& line : flat.lines)
    text += line.kind == Kind::system_include ? blank_lines(line) : line.text;
  return Rewriter(text).run();
}

}  // namespace

std::vector<std::string> add_entries(std::string& text, const NamedVariant& variant,
                                     std::string_view make_entry) {
  std::vector<std::string> symbols;
  for (const std::string& entry : variant.source->entries) {
    symbols.push_back(fmt::format("{}_{}", variant.name, symbols.size()));
    // Report errors here at the place of the entry's name.
    text += line_directive(1, fmt::format("entry {}", entry));
    const std::string call = entry.starts_with('&')
                                 ? fmt::format("variable_entry(R\"gktune({})gktune\", {})", entry, entry)
                                 : fmt::format("{}<&{}>(R\"gktune({})gktune\")", make_entry, entry, entry);
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"), used)) const ::gktune::kernel::Entry {} = "
        "::gktune::kernel::{};\n",
        symbols.back(), call);
  }
  return symbols;
}

TranslationUnit cuda_unit(const NamedVariant& variant, const std::string& curand) {
  FlatSource flat = flat_source(*variant.source);
  const Macros values = macros_for(flat, *variant.source);
  TranslationUnit unit;
  unit.host_names = std::move(flat.host_names);
  const std::string body = body_of(flat);
  // Few kernels use them, and all would take longer to compile.
  const bool has_lanes = body.find("__v") != body.npos || body.find("__dp") != body.npos;
  const bool has_textures = body.find("cudaTextureObject_t") != body.npos ||
                            body.find("tex2D") != body.npos || body.find("tex1D") != body.npos;
  unit.text = "#include \"gktune/cuda.h\"\n#include \"gktune/trampoline.h\"\n" +
              std::string(has_lanes ? "#include \"gktune/simd.h\"\n" : "") +
              std::string(has_textures ? "#include \"gktune/texture.h\"\n" : "") +
              headers_of(flat, values, curand, body) + line_directive(1, "gktune") +
              "#include \"gktune/keywords.h\"\n" + definitions(values) + body;
  unit.symbols = add_entries(unit.text, variant, "kernel_entry");
  return unit;
}

TranslationUnit cpp_unit(const NamedVariant& variant) {
  const SourcePlan& source = *variant.source;
  const bool is_launcher = source.language == Language::host;
  TranslationUnit unit;
  unit.text = std::string("#include \"gktune/") + (is_launcher ? "launcher.h" : "trampoline.h") + "\"\n" +
              definitions(source.macros) + line_directive(1, source.path) + source.text + "\n";
  unit.symbols = add_entries(unit.text, variant, is_launcher ? "launcher_entry" : "function_entry");
  return unit;
}

}  // namespace gktune
