#include "tuner/source/signatures.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace gktune {
namespace {

using FunctionKind = FunctionSignature::Kind;

constexpr std::string_view kQualifiers[] = {"const",    "volatile",          "__restrict__", "__restrict",
                                            "restrict", "__grid_constant__", "struct",       "typename"};
constexpr std::string_view kSpecifiers[] = {
    "void",     "static",     "inline",       "constexpr",       "extern",     "__device__",
    "__host__", "__global__", "__noinline__", "__forceinline__", "__inline__", "template",
    "typename", "const",      "unsigned",     "signed",          "int",        "long",
    "short",    "char",       "float",        "double",          "bool",       "auto"};
constexpr std::string_view kStatements[] = {"if",     "for",       "while",    "switch",
                                            "return", "sizeof",    "decltype", "alignof",
                                            "catch",  "constexpr", "requires", "noexcept"};

bool is_type_word(const Token& token) {
  static constexpr std::string_view kWords[] = {"unsigned", "signed", "int",  "long", "short", "char",
                                                "float",    "double", "bool", "void", "auto"};
  return is_any_of(token.text, kWords);
}

Tokens before_default(Tokens tokens) {
  const auto equals = std::ranges::find(tokens, std::string_view("="), &Token::text);
  return tokens.first(static_cast<std::size_t>(equals - tokens.begin()));
}

// The name of a template's parameter: T of `typename T = int`.
std::string template_parameter_name(Tokens tokens) {
  tokens = before_default(tokens);
  return tokens.size() > 1 && tokens.back().is_word() ? std::string(tokens.back().text) : "";
}

// `float x[4]` is a pointer too.
std::optional<FunctionSignature::Parameter> parameter_of(Tokens tokens) {
  tokens = before_default(tokens);
  std::string suffix;
  while (!tokens.empty() && tokens.back() == "]") {
    std::size_t open = tokens.size() - 1;
    while (open > 0 && tokens[open] != "[") --open;
    tokens = tokens.first(open);
    suffix += '*';
  }
  const bool is_plain = std::ranges::none_of(
      tokens, [](const Token& token) { return token == "(" || token == "." || token == "["; });
  if (tokens.empty() || !is_plain) return std::nullopt;
  const auto words = std::ranges::count_if(
      tokens, [](const Token& token) { return token.is_word() && !is_any_of(token.text, kQualifiers); });
  const bool is_named = tokens.back().is_word() && words > 1 && !is_any_of(tokens.back().text, kQualifiers) &&
                        !is_type_word(tokens.back()) && tokens[tokens.size() - 2] != ":";
  // One unknown word may be a macro for several parameters.
  if (!is_named && words == 1 && tokens.back().is_word() && !is_type_word(tokens.back())) return std::nullopt;
  FunctionSignature::Parameter parameter;
  if (is_named) {
    parameter.name = tokens.back().text;
    tokens = tokens.first(tokens.size() - 1);
  }
  parameter.type = text_of(tokens) + suffix;
  return parameter;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::set<std::string, std::less<>> list_macros)
      : all_(code_tokens(text)), tokens_(all_), list_macros_(std::move(list_macros)) {}

  std::vector<FunctionSignature> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i] == "template" && i + 1 < tokens_.size() && tokens_[i + 1] == "<") {
        const std::size_t end = closing_bracket(tokens_, i + 1);
        if (end == tokens_.size()) break;
        template_parameters_.clear();
        for (Tokens item : split_list(tokens_, i + 1))
          template_parameters_.push_back(template_parameter_name(item));
        i = begin_ = end;
        ++begin_;
      } else if (tokens_[i] == ";" || tokens_[i] == "{" || tokens_[i] == "}") {
        template_parameters_.clear();
        begin_ = i + 1;
      } else if (tokens_[i] == "(") {
        i = add_function(i);
      }
    }
    return std::move(found_);
  }

 private:
  // The index of the last token that was read.
  std::size_t add_function(std::size_t open) {
    const std::size_t close = closing_bracket(tokens_, open);
    if (close == tokens_.size()) return open;
    const std::size_t name = name_before(tokens_, begin_, open);
    if (name <= begin_ || !tokens_[name].is_word() || is_any_of(tokens_[name].text, kStatements) ||
        tokens_[name - 1] == ".") {
      return open;
    }
    // Skip attributes with arguments, such as __launch_bounds__(256) and alignas(16).
    if (tokens_[name].text.starts_with("__") || tokens_[name] == "alignas") return close;
    // A definition or a declaration; a call would have no type before its name.
    const Tokens specifiers = tokens_.subspan(begin_, name - begin_);
    const bool is_kernel = has(specifiers, "__global__");
    const Token& before = tokens_[name - 1];
    const bool has_type = (before.is_word() && before != "return") || before == "*" || before == ">" ||
                          before == "&" || before == ":" ||
                          (before == ")" && is_kernel);  // behind an attribute
    std::size_t after = close + 1;
    while (after < tokens_.size() && (tokens_[after] == "noexcept" || tokens_[after] == "const")) ++after;
    const bool is_definition = after < tokens_.size() && tokens_[after] == "{";
    if (!has_type || (!is_definition && !is_kernel)) return open;
    FunctionSignature signature;
    signature.name = tokens_[name].text;
    signature.kind = kind_of(specifiers, is_kernel);
    signature.template_parameters = template_parameters_;
    signature.parameters = parameters(open, close);
    add(std::move(signature));
    return close;
  }

  void add(FunctionSignature signature) {
    const auto [first, last] = by_name_.equal_range(signature.name);
    if (std::any_of(first, last, [&](const auto& known) { return found_[known.second] == signature; }))
      return;
    by_name_.emplace(signature.name, found_.size());
    found_.push_back(std::move(signature));
  }

  // Brackets of attributes and their punctuation do not count.
  static FunctionKind kind_of(Tokens specifiers, bool is_kernel) {
    if (is_kernel) return FunctionKind::kernel;
    const bool are_known = std::ranges::all_of(
        specifiers, [](const Token& each) { return !each.is_word() || is_any_of(each.text, kSpecifiers); });
    return are_known ? FunctionKind::function : FunctionKind::unknown;
  }

  std::optional<std::vector<FunctionSignature::Parameter>> parameters(std::size_t open,
                                                                      std::size_t close) const {
    const char* begin = tokens_[open].text.data();
    const std::string_view text(begin, static_cast<std::size_t>(tokens_[close].text.data() - begin));
    if (text.find('#') != std::string_view::npos) return std::nullopt;
    const bool has_macro = std::ranges::any_of(tokens_.subspan(open, close - open), [&](const Token& token) {
      return token.is_word() && list_macros_.contains(token.text);
    });
    if (has_macro) return std::nullopt;
    std::vector<FunctionSignature::Parameter> all;
    const std::vector<Tokens> items = split_list(tokens_, open);
    if (items.size() == 1 && items[0].size() == 1 && items[0][0] == "void") return all;
    for (Tokens item : items) {
      auto parameter = parameter_of(item);
      if (!parameter) return std::nullopt;
      all.push_back(*std::move(parameter));
    }
    return all;
  }

  std::vector<Token> all_;
  Tokens tokens_;
  std::set<std::string, std::less<>> list_macros_;  // macros that may stand for more than a type
  std::size_t begin_ = 0;                           // of the current declaration
  std::vector<std::string> template_parameters_;
  std::vector<FunctionSignature> found_;
  std::unordered_multimap<std::string, std::size_t> by_name_;  // indices of found_
};

using Aliases = std::map<std::string, std::string, std::less<>>;

// Adds `using real = float;` and `typedef float real;` of namespaces. Pointers and const are left out,
// because `const pointer` is not a pointer to const. A name with two meanings gets an empty one.
class AliasReader {
 public:
  // The aliases of conditional code have no certain meaning.
  enum class Code { certain, conditional };
  void read(std::string_view text, Code code) {
    const std::vector<Token> all = code_tokens(text);
    const Tokens tokens = all;
    std::vector<bool> is_namespace;  // for each open brace
    std::size_t begin = 0;           // of the statement
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] == "{") {
        const Tokens head = tokens.subspan(begin, i - begin);
        is_namespace.push_back(has(head, "namespace") || (begin < i && is_c_linkage(tokens, begin)));
      }
      if (tokens[i] == "}" && !is_namespace.empty()) is_namespace.pop_back();
      const bool is_inside = std::ranges::find(is_namespace, false) != is_namespace.end();
      if (tokens[i] == ";" && !is_inside) read_statement(tokens.subspan(begin, i - begin), code);
      if (is_any_of(tokens[i].text, {"{", "}", ";"})) begin = i + 1;
    }
  }
  void add(const std::string& name, Tokens type) {
    const bool is_plain = !type.empty() && std::ranges::all_of(type, [](const Token& token) {
      return (token.is_word() && token != "const") || token == ":";
    });
    const std::string text = is_plain ? text_of(type) : "";
    const auto [known, is_new] = aliases_.emplace(name, text);
    if (!is_new && known->second != text) known->second.clear();
  }
  void drop(const std::string& name) { aliases_[name].clear(); }
  Aliases take() { return std::move(aliases_); }

 private:
  void read_statement(Tokens statement, Code code) {
    if (statement.size() < 3) return;
    const bool is_using = statement[0] == "using" && statement[2] == "=";
    const bool is_typedef = statement[0] == "typedef" && statement.back().is_word();
    if (!is_using && !is_typedef) return;
    const std::string name(is_using ? statement[1].text : statement.back().text);
    if (code == Code::conditional) return drop(name);
    add(name, is_using ? statement.subspan(3) : statement.subspan(1, statement.size() - 2));
  }

  Aliases aliases_;
};

Aliases aliases_in(const FlatSource& source, const std::vector<std::string>& macros) {
  const std::vector<bool> is_certain = unconditional_lines(source);
  AliasReader aliases;
  std::string certain_code, conditional_code;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const SourceLine& line = source.lines[i];
    if (line.kind == SourceLine::Kind::code) (is_certain[i] ? certain_code : conditional_code) += line.text;
    if (line.kind != SourceLine::Kind::define && line.kind != SourceLine::Kind::undef) continue;
    const std::vector<Token> tokens = tokenize(line.text);  // # define real float
    // Behind an #ifndef, the command line may define it.
    const bool may_differ = i > 0 && source.lines[i - 1].kind == SourceLine::Kind::condition;
    if (line.kind == SourceLine::Kind::define && is_certain[i] && !may_differ && tokens.size() > 3)
      aliases.add(line.name, Tokens(tokens).subspan(3));
    else
      aliases.drop(line.name);
  }
  aliases.read(certain_code, AliasReader::Code::certain);
  aliases.read(conditional_code, AliasReader::Code::conditional);
  for (const std::string& name : macros) aliases.drop(name);
  return aliases.take();
}

// With the meanings of aliases, which may be aliases.
std::string resolved_type(const std::string& type, const std::vector<std::string>& template_parameters,
                          const Aliases& aliases) {
  constexpr int kDeepest = 8;
  std::string text = type;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::vector<Token> tokens = tokenize(text);
    std::string next;
    bool has_alias = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto found = aliases.find(tokens[i].text);
      const bool is_alias =
          found != aliases.end() && !found->second.empty() && (i == 0 || tokens[i - 1] != ":") &&
          std::ranges::find(template_parameters, tokens[i].text) == template_parameters.end();
      next += i == 0 ? "" : " ";
      next += is_alias ? std::string_view(found->second) : tokens[i].text;
      has_alias = has_alias || is_alias;
    }
    if (!has_alias) break;
    text = next;
  }
  return text;
}

// Macros with arguments or commas.
std::set<std::string, std::less<>> list_macros(const FlatSource& source) {
  std::set<std::string, std::less<>> names;
  for (const SourceLine& line : source.lines) {
    if (line.kind != SourceLine::Kind::define) continue;
    const std::vector<Token> tokens = tokenize(line.text);
    const bool is_simple =
        std::ranges::none_of(tokens, [](const Token& token) { return token == "(" || token == ","; });
    if (!is_simple) names.insert(line.name);
  }
  return names;
}

}  // namespace

std::vector<FunctionSignature> signatures_in(const FlatSource& source,
                                             const std::vector<std::string>& macros) {
  std::vector<FunctionSignature> signatures = Scanner(text_of(source), list_macros(source)).run();
  const Aliases aliases = aliases_in(source, macros);
  for (FunctionSignature& signature : signatures) {
    if (!signature.parameters) continue;
    for (FunctionSignature::Parameter& parameter : *signature.parameters)
      parameter.resolved_type = resolved_type(parameter.type, signature.template_parameters, aliases);
  }
  return signatures;
}

CppType parse_type(std::string_view text) {
  const std::vector<Token> tokens = tokenize(text);
  CppType type;
  bool is_const = false, is_known = !tokens.empty();
  for (const Token& token : tokens) {
    if (token == "*") {
      if (type.pointers++ == 0) type.points_to_const = is_const;
    } else if (token == "const") {
      is_const = true;
    } else if (token.is_word()) {
      if (type.pointers > 0 || is_any_of(token.text, kQualifiers)) continue;
      if (!type.base.empty() && !type.base.ends_with(':')) type.base += ' ';
      type.base += token.text;
    } else if (token == ":" && type.pointers == 0) {
      type.base += ':';
    } else {
      is_known = false;
    }
  }
  if (!is_known) type.base.clear();
  return type;
}

}  // namespace gktune
