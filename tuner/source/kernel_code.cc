#include "tuner/source/kernel_code.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <unordered_map>
#include <unordered_set>

#include "tuner/source/tokens.h"

namespace gktune {
namespace {

using Kind = SourceLine::Kind;
// Words of a text that stays. The headers of a library have a million.
using WordSet = std::unordered_set<std::string_view>;

constexpr std::string_view kDeviceWords[] = {"__global__", "__device__", "__constant__", "__shared__",
                                             "__managed__"};
// Words with a list in parentheses that is no list of parameters.
constexpr std::string_view kAttributes[] = {
    "__attribute__", "__align__", "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__",
    "__declspec",    "alignas",   "decltype",          "noexcept",         "explicit",    "requires"};
constexpr std::string_view kClassWords[] = {"struct", "class", "union", "enum"};
// Words of a class's or enumeration's head that are never its name.
constexpr std::string_view kNoNames[] = {
    "struct", "class",    "union", "enum", "final", "public",  "private", "typedef", "static",   "const",
    "int",    "unsigned", "short", "long", "char",  "virtual", "alignas", "std",     "constexpr"};

void blank(std::string& text, std::size_t begin, std::size_t size) {
  for (std::size_t i = begin; i < begin + size; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

// Puts a changed text of the same number of lines back into the lines.
void set_text(FlatSource& source, const std::string& text) {
  std::size_t at = 0;
  for (SourceLine& line : source.lines) {
    std::size_t end = at;
    for (int rest = height_of(line); rest > 0 && end < text.size(); --rest) {
      end = text.find('\n', end);
      end = end == std::string::npos ? text.size() : end + 1;
    }
    line.text = text.substr(at, end - at);
    at = end;
  }
}

// A declaration at namespace scope.
struct Declaration {
  std::size_t first = 0, last = 0;      // tokens
  std::vector<std::string_view> names;  // that it may declare
  bool has_body = false;                // of a function
  bool is_of_host = false;              // device code cannot use it
  bool is_kernel = false;
  bool is_kept = false;
};

using Macros = std::unordered_map<std::string_view, WordSet>;

// The declarations of a source, outside and inside namespaces.
class DeclarationReader {
 public:
  DeclarationReader(Tokens tokens, const Macros& macros, const WordSet& device_macros)
      : tokens_(tokens), macros_(macros), device_macros_(device_macros) {}

  // Returns nullopt if brackets do not match.
  std::optional<std::vector<Declaration>> run() {
    read(0, tokens_.size());
    if (is_broken_) return std::nullopt;
    return std::move(found_);
  }

 private:
  std::size_t closing(std::size_t open) {
    const std::size_t close = closing_bracket(tokens_, open);
    if (close == tokens_.size()) is_broken_ = true;
    return close;
  }

  void read(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && !is_broken_;) {
      if (tokens_[i] == ";") {
        ++i;
      } else if (const std::size_t open = block_after(i, end); open < end) {
        const std::size_t close = closing(open);
        if (is_broken_) return;
        read(open + 1, close);
        i = close + 1;
      } else {
        i = add_declaration(i, end);
      }
    }
  }

  // The bracket that opens a namespace or an extern "C" block; `end` if something else begins here.
  std::size_t block_after(std::size_t i, std::size_t end) const {
    if (is_c_linkage(tokens_, i)) return i + 2 < end && tokens_[i + 2] == "{" ? i + 2 : end;
    if (tokens_[i] == "inline") ++i;
    if (i >= end || tokens_[i] != "namespace") return end;
    for (; i < end && tokens_[i] != ";" && tokens_[i] != "="; ++i) {
      if (tokens_[i] == "{") return i;
    }
    return end;
  }

  // The index behind the declaration.
  std::size_t add_declaration(std::size_t begin, std::size_t end) {
    Declaration declaration;
    declaration.first = begin;
    bool is_class = false, is_set = false, has_list = false, has_initializers = false;
    std::size_t list = 0, body = end, i = begin;  // of a function: its parameters, its body
    for (; i < end && !is_broken_; ++i) {
      const Token& token = tokens_[i];
      if (token == ";") break;
      if (token == "}" || token == ")" || token == "]") is_broken_ = true;
      if (token == "template" && i + 1 < end && tokens_[i + 1] == "<") {
        i = closing(i + 1);
      } else if (token == "<" && is_class) {
        i = closing(i);  // of a specialisation
      } else if (is_any_of(token.text, kClassWords) && token.is_word() && !has_list) {
        is_class = true;
      } else if (token == "=") {
        is_set = true;
      } else if (token == "operator") {
        is_class = false;
        while (i + 1 < end && tokens_[i + 1] != "(") ++i;
        if (i + 2 < end && tokens_[i + 2] == ")") i += 2;  // operator()
      } else if (token == "(" || token == "[") {
        const bool is_attribute = token == "[" || (i > begin && is_any_of(tokens_[i - 1].text, kAttributes));
        if (!is_attribute && !has_list && !is_set) {
          has_list = true;
          list = i;
          is_class = false;
        }
        i = closing(i);
      } else if (token == ":" && has_list && i > begin && tokens_[i - 1] == ")") {
        has_initializers = true;  // of a constructor
      } else if (token == "{") {
        const bool is_initializer = has_initializers && tokens_[i - 1].is_word();
        if (has_list && !is_class && !is_set && !is_initializer) {
          body = i;
          i = closing(i);
          break;
        }
        i = closing(i);
      }
    }
    if (is_broken_) return end;
    declaration.last = std::min(i, end - 1);
    const std::size_t head_end = has_list && !is_class ? std::min(body, declaration.last) : declaration.last;
    const Tokens head = tokens_.subspan(begin, head_end - begin + 1);
    declaration.names = has_list && !is_class ? function_names(begin, list) : other_names(head, is_class);
    const bool is_named_by_macro =
        std::ranges::any_of(declaration.names, [&](std::string_view name) { return macros_.contains(name); });
    declaration.is_kernel = has_list && !is_class && has(head, "__global__") && !is_named_by_macro;
    declaration.has_body = body < end;
    declaration.is_kept = is_root(head) && !opens_library(head);
    if (!declaration.is_kept && !is_class) declaration.is_of_host = is_of_host(begin, list, head);
    found_.push_back(std::move(declaration));
    return i + 1;
  }

  // True for `using namespace std::chrono`: kernels can use nothing of it.
  static bool opens_library(Tokens head) {
    return head.size() > 5 && head[0] == "using" && head[1] == "namespace" && head[2] == "std";
  }

  // True for void (*f)(int).
  bool is_pointer(std::size_t list) const { return list + 1 < tokens_.size() && tokens_[list + 1] == "*"; }

  std::vector<std::string_view> function_names(std::size_t begin, std::size_t list) const {
    const std::size_t at = is_pointer(list) ? list + 2 : name_before(tokens_, begin, list);
    if (at >= tokens_.size() || at == list || !tokens_[at].is_word()) return {};
    return {tokens_[at].text};
  }

  static std::vector<std::string_view> other_names(Tokens head, bool is_class) {
    std::vector<std::string_view> names;
    const bool is_typedef = !head.empty() && head[0] == "typedef";
    const bool is_enum = is_class && has(head, "enum");
    int depth = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (head[i] == "template" && i + 1 < head.size() && head[i + 1] == "<") {
        i = closing_bracket(head, i + 1);
        continue;
      }
      if (head[i] == "{") ++depth;
      if (head[i] == "}") --depth;
      if (!head[i].is_word()) continue;
      const std::string_view next = i + 1 < head.size() ? head[i + 1].text : std::string_view(";");
      const bool is_declarator = next == "=" || next == ";" || next == "[" || next == "{" || next == ",";
      const bool is_in_class = is_class && (is_enum || depth == 0) && !is_any_of(head[i].text, kNoNames);
      const bool is_function_type = is_typedef && next == ")";  // typedef void (*F)(int);
      if (is_in_class || is_function_type || (depth == 0 && is_declarator)) names.push_back(head[i].text);
    }
    return names;
  }

  bool is_root(Tokens head) const {
    if (!head.empty() && head[0] == "static_assert") return true;
    if (head.size() > 1 && head[0] == "using" && head[1] == "namespace") return true;
    if (has(head, "operator") && has(head, "constexpr")) return true;
    return std::ranges::any_of(head, [&](const Token& token) {
      return token.is_word() && (is_any_of(token.text, kDeviceWords) || device_macros_.contains(token.text));
    });
  }

  // True for a function or variable that says nothing of devices. Members may be declared for devices in
  // their class.
  bool is_of_host(std::size_t begin, std::size_t list, Tokens head) const {
    constexpr std::string_view kOther[] = {"const",    "constexpr", "extern", "namespace",
                                           "template", "typedef",   "using"};
    if (list == 0) {
      const Tokens said =
          head.first(static_cast<std::size_t>(std::ranges::find(head, "=", &Token::text) - head.begin()));
      return std::ranges::none_of(
          said, [&](const Token& token) { return is_any_of(token.text, kOther) || may_be_macro(token); });
    }
    if (is_pointer(list)) return !has(tokens_.subspan(begin, list - begin), "typedef");
    const std::size_t name = name_before(tokens_, begin, list);
    std::size_t type = begin;
    if (tokens_[type] == "template" && tokens_[type + 1] == "<")
      type = closing_bracket(tokens_, type + 1) + 1;
    // Without a type it is a deduction guide.
    if (name == list || name == type || tokens_[name - 1] == ":") return false;
    return std::ranges::none_of(tokens_.subspan(begin, name - begin), [&](const Token& token) {
      return token == "constexpr" || token == "consteval" || may_be_macro(token);
    });
  }

  // A word in capitals that the source does not define may be a library's macro for __device__.
  bool may_be_macro(const Token& token) const {
    const auto is_capital = [](char c) {
      return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return token.is_word() && token.text.size() > 2 && std::ranges::all_of(token.text, is_capital) &&
           !macros_.contains(token.text);
  }

  Tokens tokens_;
  const Macros& macros_;
  const WordSet& device_macros_;
  bool is_broken_ = false;
  std::vector<Declaration> found_;
};

// The words that each macro stands for.
Macros macros_in(const FlatSource& source) {
  Macros macros;
  for (const SourceLine& line : source.lines) {
    if (line.kind != Kind::define) continue;
    WordSet& words = macros[line.name];
    const std::vector<Token> tokens = tokenize(line.text);
    for (std::size_t i = 3; i < tokens.size(); ++i) {
      if (tokens[i].is_word()) words.insert(tokens[i].text);
    }
  }
  return macros;
}

// Macros that contain __device__ or another word of kDeviceWords, directly or through other macros.
WordSet device_macros(const Macros& macros) {
  WordSet names(std::begin(kDeviceWords), std::end(kDeviceWords));
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    for (const auto& [name, words] : macros) {
      const bool is_one =
          std::ranges::any_of(words, [&](std::string_view word) { return names.contains(word); });
      if (is_one && names.insert(name).second) is_growing = true;
    }
  }
  return names;
}

// A definition that says nothing of devices is for them if a declaration of its name is.
void join_declarations(std::vector<Declaration>& declarations, Unmarked unmarked) {
  WordSet of_devices;
  for (const Declaration& declaration : declarations) {
    if (declaration.is_kept && !declaration.has_body)
      of_devices.insert(declaration.names.begin(), declaration.names.end());
  }
  const auto is_of_devices = [&](std::string_view name) { return of_devices.contains(name); };
  for (Declaration& declaration : declarations) {
    if (unmarked == Unmarked::devices || std::ranges::any_of(declaration.names, is_of_devices))
      declaration.is_of_host = false;
  }
}

// Kernels that the launches do not mention cost as much to compile as others. Where they mention none, all
// stay.
void leave_other_kernels(std::vector<Declaration>& declarations, const NameSet& mentioned) {
  const auto is_mentioned = [&](const Declaration& each) {
    return each.is_kernel &&
           std::ranges::any_of(each.names, [&](std::string_view name) { return mentioned.contains(name); });
  };
  if (std::ranges::none_of(declarations, is_mentioned)) return;
  for (Declaration& each : declarations)
    each.is_kept = each.is_kept && (!each.is_kernel || is_mentioned(each));
}

// Keeps the declarations that kept declarations and mentioned names use. Returns all used words.
WordSet keep_used(std::vector<Declaration>& declarations, Tokens tokens, const Macros& macros,
                  const WordSet& mentioned) {
  std::unordered_multimap<std::string_view, Declaration*> by_name;
  for (Declaration& declaration : declarations) {
    for (const std::string_view name : declaration.names) by_name.emplace(name, &declaration);
  }
  WordSet seen;
  std::vector<std::string_view> open;
  const auto see = [&](std::string_view word) {
    if (seen.insert(word).second) open.push_back(word);
  };
  const auto see_all = [&](const Declaration& declaration) {
    for (const Token& token : tokens.subspan(declaration.first, declaration.last - declaration.first + 1)) {
      if (token.is_word()) see(token.text);
    }
  };
  for (const std::string_view word : mentioned) see(word);
  for (const Declaration& declaration : declarations) {
    if (declaration.is_kept) see_all(declaration);
  }
  while (!open.empty()) {
    const std::string_view word = open.back();
    open.pop_back();
    const auto [first, last] = by_name.equal_range(word);
    for (auto each = first; each != last; ++each) {
      if (each->second->is_kept || each->second->is_of_host) continue;
      each->second->is_kept = true;
      see_all(*each->second);
    }
    if (const auto macro = macros.find(word); macro != macros.end()) {
      for (const std::string_view inner : macro->second) see(inner);
    }
  }
  return seen;
}

// Libraries that host code calls: the beginning of the header's path, and that of
// the names which it declares.
struct HostLibrary {
  std::string_view header, names;
};
constexpr HostLibrary kHostLibraries[] = {
    {"thrust/", "thrust"},
    {"cublas", "cublas"},
    {"cufft", "cufft"},
    {"cusparse", "cusparse"},
    {"cusolver", "cusolver"},
    {"curand.h", "curandGen"},
    {"cudnn", "cudnn"},
    {"nccl.h", "nccl"},
    {"nvml.h", "nvml"},
    {"nvrtc.h", "nvrtc"},
    {"nvToolsExt", "nvtx"},
    {"nvtx3/", "nvtx"},
    {"cuda_profiler_api.h", "cudaProfiler"},
    {"cudaProfiler.h", "cuProfiler"},
    {"cuda_gl_interop.h", "cudaGraphicsGL"},
    {"cudaGL.h", "cuGraphicsGL"},
    {"cuda_egl_interop.h", "cudaEgl"},
    {"cudaEGL.h", "cuEGL"},
    {"cuda_vdpau_interop.h", "cudaVDPAU"},
    {"cuda_d3d", "cudaD3D"},
    {"GL/", "GL"},
    {"helper_cuda", "helper_"},
    {"helper_functions.h", "helper_"},
    {"helper_gl.h", "helper_"},
    {"helper_image.h", "helper_"},
    {"helper_string.h", "helper_"},
    {"helper_timer.h", "helper_"},
    {"helper_nvJPEG", "helper_"},
    {"nvbench/", "nvbench"},
    {"benchmark/benchmark.h", "benchmark"},
    {"gtest/", "testing"},
    {"mpi.h", "MPI_"},
    {"omp.h", "omp_"},
    {"opencv2/", "cv"},
};

void drop_host_libraries(FlatSource& source, const WordSet& used) {
  for (SourceLine& line : source.lines) {
    if ((line.kind != Kind::system_include && line.kind != Kind::include) || line.name.size() < 3) continue;
    const std::string_view path = std::string_view(line.name).substr(1, line.name.size() - 2);
    const auto library = std::ranges::find_if(
        kHostLibraries, [&](const HostLibrary& each) { return path.starts_with(each.header); });
    if (library == std::end(kHostLibraries)) continue;
    const bool is_used =
        std::ranges::any_of(used, [&](std::string_view word) { return word.starts_with(library->names); });
    if (is_used) continue;
    line.kind = Kind::code;
    line.text = std::string(static_cast<std::size_t>(height_of(line)), '\n');
    line.name.clear();
  }
}

// The headers that declare what nvcc declares unasked, or what headers of host libraries bring, by name.
const std::unordered_map<std::string_view, std::string_view>& implied_headers() {
  static const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> kNames = {
      {"math.h",
       {"INFINITY", "NAN", "HUGE_VALF", "M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2",
        "M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"}},
      {"float.h", {"FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_MIN", "DBL_EPSILON"}},
      {"limits.h",
       {"INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "ULONG_MAX", "LLONG_MAX", "CHAR_BIT"}},
      {"stdint.h",
       {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t",
        "uintptr_t"}},
      {"sys/types.h", {"uint", "ushort", "ulong"}},
      {"time.h", {"clock_t"}},
      {"cuda_fp16.h", {"__half", "__half2"}},
      {"cuda_bf16.h", {"__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"}},
      {"cuComplex.h", {"cuComplex", "cuFloatComplex", "cuDoubleComplex"}},
  };
  static const auto headers = [] {
    std::unordered_map<std::string_view, std::string_view> by_name;
    for (const auto& [header, names] : kNames) {
      for (const std::string_view name : names) by_name[name] = header;
    }
    return by_name;
  }();
  return headers;
}

}  // namespace

Unmarked unmarked_with(const std::vector<std::string>& options) {
  const bool is_for_devices = std::ranges::any_of(options, [](const std::string& option) {
    return option == kAllDevicesOption || option == "-default-device";
  });
  return is_for_devices ? Unmarked::devices : Unmarked::host;
}

namespace {

bool calls_host(Tokens body) {
  static const std::regex kNames("cuda[A-Z].*");
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    if (body[i + 1] == "(" && std::regex_match(body[i].text.begin(), body[i].text.end(), kNames)) return true;
  }
  return false;
}

// Leaves only the declaration of a class's members that call the host API, as a constructor that allocates
// memory does.
void blank_host_members(std::string& kept, std::string_view text, Tokens declaration, const WordSet& device) {
  const auto open = std::ranges::find(declaration, "{", &Token::text);
  const Tokens name = declaration.first(static_cast<std::size_t>(open - declaration.begin()));
  if (has(name, "(") || !(has(name, "struct") || has(name, "class"))) return;
  std::size_t head = 0;
  for (std::size_t i = name.size() + 1; i < declaration.size(); ++i) {
    const Token& before = declaration[i - 1];
    if (is_any_of(before.text, {";", "{", "}"})) head = i;
    if (declaration[i] != "{" || (before != ")" && before != "const")) continue;
    const std::size_t end = closing_bracket(declaration, i);
    if (end == declaration.size()) return;
    const Tokens body = declaration.subspan(i, end - i + 1);
    const bool is_device = std::ranges::any_of(
        declaration.subspan(head, i - head), [&](const Token& token) { return device.contains(token.text); });
    if (!is_device && calls_host(body)) {
      const auto place = static_cast<std::size_t>(body.front().text.data() - text.data());
      blank(kept, place, static_cast<std::size_t>(body.back().text.data() - text.data()) + 1 - place);
      kept[place] = ';';
    }
    i = end;
  }
}

}  // namespace

void drop_host_code(FlatSource& source, const NameSet& mentioned, Unmarked unmarked) {
  const std::string text = text_of(source);
  const std::vector<Token> tokens = code_tokens(text);
  const Macros macros = macros_in(source);
  const WordSet device = device_macros(macros);
  auto declarations = DeclarationReader(tokens, macros, device).run();
  if (!declarations) return;
  std::vector<std::string> directives;  // #pragma unroll kFactor
  std::vector<std::size_t> places;      // theirs in the text
  std::size_t place = 0;
  for (const SourceLine& line : source.lines) {
    if (line.kind == Kind::directive) {
      directives.push_back(line.text);
      places.push_back(place);
    }
    place += line.text.size();
  }
  const NameSet in_directives = words_of(directives);
  WordSet used(mentioned.begin(), mentioned.end());
  used.insert(in_directives.begin(), in_directives.end());
  join_declarations(*declarations, unmarked);
  leave_other_kernels(*declarations, mentioned);
  keep_used(*declarations, tokens, macros, used);
  std::string kept = text;
  for (const Declaration& declaration : *declarations) {
    const Tokens all = Tokens(tokens).subspan(declaration.first, declaration.last - declaration.first + 1);
    if (declaration.is_kept) {
      blank_host_members(kept, text, all, device);
      for (const Token& token : all) used.insert(token.text);
      continue;
    }
    if (declaration.is_of_host) source.host_names.insert(declaration.names.begin(), declaration.names.end());
    // Token by token: macros and conditions in between stay.
    const auto place_of = [&](const Token& token) {
      return static_cast<std::size_t>(token.text.data() - text.data());
    };
    for (const Token& token : all) blank(kept, place_of(token), token.text.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] > place_of(all.front()) && places[i] < place_of(all.back()))
        blank(kept, places[i], directives[i].size());
    }
  }
  if (kept != text) set_text(source, kept);
  drop_host_libraries(source, used);
}

std::string host_code_notes(const NameSet& host_names, std::string_view log) {
  std::string notes;
  const auto has = [&](const std::string& before, const std::string& name, const char* after) {
    return log.find(before + name + after) != std::string_view::npos;
  };
  for (const std::string& name : host_names) {
    if (has("\"", name, "\"") || has("'", name, "'") || has("‘", name, "’"))
      notes += "note: '" + name + "' has no __device__, so it is host code, which is left out\n";
  }
  return notes;
}

std::string implied_includes(const FlatSource& source) {
  std::string includes;
  WordSet included;
  const auto see = [&](std::string_view word) {
    const auto implied = implied_headers().find(word);
    if (implied == implied_headers().end() || !included.insert(implied->second).second) return;
    includes.append("#include <").append(implied->second).append(">\n");
  };
  const std::string text = text_of(source);
  for (const Token& token : code_tokens(text)) see(token.text);
  for (const auto& [name, words] : macros_in(source)) {
    for (const std::string_view word : words) see(word);
  }
  return includes;
}

UsedText used_by(const FlatSource& source, const NameSet& functions) {
  const std::string text = text_of(source);
  const std::vector<Token> tokens = code_tokens(text);
  const Macros macros = macros_in(source);
  const WordSet no_roots;
  auto declarations = DeclarationReader(tokens, macros, no_roots).run();
  if (!declarations) return {};
  for (Declaration& declaration : *declarations) declaration.is_kept = declaration.is_of_host = false;
  UsedText used;
  const WordSet roots(functions.begin(), functions.end());
  for (const std::string_view word : keep_used(*declarations, tokens, macros, roots))
    used.words.emplace(word);
  const auto add_numbers = [&](Tokens part) {
    for (const Token& token : part) {
      if (token.kind == Token::Kind::number) used.numbers.emplace(token.text);
    }
  };
  for (const Declaration& declaration : *declarations) {
    if (declaration.is_kept)
      add_numbers(Tokens(tokens).subspan(declaration.first, declaration.last - declaration.first + 1));
  }
  for (const SourceLine& line : source.lines) {
    if (line.kind == Kind::define && used.words.contains(line.name)) add_numbers(tokenize(line.text));
  }
  return used;
}

namespace {

std::string value_macro(std::string_view parameter) { return "gktune_value_of_" + std::string(parameter); }

// The tokens of a setting that its parameter replaces.
struct SettingRange {
  std::size_t first, last;
};

class SettingFinder {
 public:
  explicit SettingFinder(Tokens tokens) : tokens_(tokens) {}

  // At a token with the name of a parameter.
  std::optional<SettingRange> find(std::size_t at) const {
    if (at == 0 || at + 1 >= tokens_.size()) return std::nullopt;
    const std::size_t begin = start_of_statement(at);
    const Tokens before = tokens_.subspan(begin, at - begin);
    const Token& next = tokens_[at + 1];
    if (!before.empty() && before[0] == "typedef") {
      const bool is_simple = next == ";" && before.size() > 1 && !has(before, "(");
      return is_simple ? std::optional(SettingRange{begin + 1, at - 1}) : std::nullopt;
    }
    const bool is_alias = tokens_[at - 1] == "using";
    const bool is_enumerator = next == "=" && is_in_enum(begin);
    if (next != "=" && (next != "{" || is_alias || is_enumerator)) return std::nullopt;
    if (at + 2 >= tokens_.size() || tokens_[at + 2] == "=") return std::nullopt;  // a comparison
    const SettingRange value = next == "=" ? SettingRange{at + 2, end_of_value(at + 2)}
                                           : SettingRange{at + 2, closing_bracket(tokens_, at + 1) - 1};
    if (value.last < value.first || value.last >= tokens_.size()) return std::nullopt;
    if (is_alias || is_enumerator || has(before, "constexpr")) return value;
    const bool is_pointer = tokens_[at - 1] == "*" || tokens_[at - 1] == "&";
    if (has(before, "const") && !is_pointer && is_plain(value)) return value;
    return std::nullopt;
  }

 private:
  std::size_t start_of_statement(std::size_t at) const {
    for (int depth = 0; at > 0; --at) {
      const Token& token = tokens_[at - 1];
      if (token == ")" || token == "]") ++depth;
      if (token == "(" || token == "[") {
        if (--depth < 0) break;
      }
      if (depth == 0 && (token == ";" || token == "{" || token == "}")) break;
    }
    return at;
  }

  // enum {, enum Name {, enum class Name : int {
  bool is_in_enum(std::size_t begin) const {
    if (begin == 0 || tokens_[begin - 1] != "{") return false;
    for (std::size_t i = begin - 1; i > 0 && i + 8 > begin; --i) {
      if (tokens_[i - 1] == "enum") return true;
      if (!tokens_[i - 1].is_word() && tokens_[i - 1] != ":") return false;
    }
    return false;
  }

  std::size_t end_of_value(std::size_t at) const {
    for (; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token == "(" || token == "[" || token == "{") {
        at = closing_bracket(tokens_, at);
      } else if (token == "," || token == ";" || token == "}") {
        break;
      }
    }
    return at - 1;
  }

  // True if the value consists of numbers, macros and operators, so that it is a constant in every kernel.
  bool is_plain(const SettingRange& value) const {
    return std::ranges::all_of(
        tokens_.subspan(value.first, value.last - value.first + 1), [](const Token& token) {
          if (!token.is_word()) return token != ".";
          return token == "true" || token == "false" || token == "sizeof" ||
                 std::ranges::none_of(token.text, [](char c) { return c >= 'a' && c <= 'z'; });
        });
  }

  Tokens tokens_;
};

// `#define TILE 16`, not `#define TILE(x) …`.
bool is_plain_define(const SourceLine& line) {
  const std::vector<Token> tokens = tokenize(line.text);
  return tokens.size() < 4 || tokens[3] != "(" ||
         tokens[3].text.data() != tokens[2].text.data() + tokens[2].text.size();
}

}  // namespace

void replace_settings(FlatSource& source, const NameSet& parameters) {
  NameSet defined;
  for (SourceLine& line : source.lines) {
    if (line.kind == Kind::define && parameters.contains(line.name) && is_plain_define(line))
      defined.insert(line.name);
  }
  for (SourceLine& line : source.lines) {
    if ((line.kind != Kind::define && line.kind != Kind::undef) || !defined.contains(line.name)) continue;
    if (line.kind == Kind::define && !is_plain_define(line)) continue;
    line.kind = Kind::code;
    line.name.clear();
    line.text = std::string(static_cast<std::size_t>(height_of(line)), '\n');
  }
  const std::string text = text_of(source);
  const std::vector<Token> tokens = code_tokens(text);
  const SettingFinder finder(tokens);
  Edits edits(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_word() || !parameters.contains(tokens[i].text)) continue;
    const auto setting = finder.find(i);
    if (!setting) continue;
    edits.replace(tokens[setting->first], tokens[setting->last], value_macro(tokens[i].text));
    source.constants.emplace(tokens[i].text);
  }
  if (!source.constants.empty()) set_text(source, edits.apply());
}

std::string macro_of(const FlatSource& source, const std::string& parameter) {
  return source.constants.contains(parameter) ? value_macro(parameter) : parameter;
}

NameSet words_of(const std::vector<std::string>& texts) {
  NameSet words;
  for (const std::string& text : texts) {
    for (const Token& token : tokenize(text)) {
      if (token.is_word()) words.emplace(token.text);
    }
  }
  return words;
}

}  // namespace gktune
