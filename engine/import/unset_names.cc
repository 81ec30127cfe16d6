#include "engine/import/unset_names.h"

#include <algorithm>
#include <optional>
#include <regex>

#include "engine/import/launching_code.h"
#include "tuner/core/text.h"
#include "tuner/source/tokens.h"

namespace gktune {
namespace {

bool is_known(const std::string& name) {
  static const std::regex kKnown(
      "NULL|defined|threadIdx|blockIdx|blockDim|gridDim|warpSize|"
      "INFINITY|NAN|HUGE_VALF?|NDEBUG|WIN32|std|cg|stdout|stderr|RAND_MAX|CHAR_BIT|.*VERSION.*|"
      "(FLT|DBL|M|CUDART|CUDA|CUB|U?(CHAR|SHRT|INT|LONG|LLONG)|U?INT[0-9]+)_.*|SIZE_MAX|cuda.*|_.*");
  return is_cpp_keyword(name) || std::regex_match(name, kKnown);
}

bool is_type_word(const std::string& word) {
  static const std::regex kTypes(
      "(u?(char|short|int|long|longlong)|float|double|half|__half|__nv_bfloat16)[1-4]?2?|unsigned|signed|"
      "void|bool|auto|const|volatile|uint|uchar|ushort|ulong|dim3|__restrict__|__restrict|.*_t");
  return std::regex_match(word, kTypes);
}

class UnsetNameFinder {
 public:
  UnsetNameFinder(const FlatSource& source, const NameSet& used) : used_(used) {
    for (const SourceLine& line : source.lines) read(line);
  }

  std::vector<UnsetName> run() {
    find_types();
    for (std::size_t i = 1; i + 1 < code_.size(); ++i) {
      const std::string name(code_[i].text);
      if (!code_[i].is_word() || !used_.contains(name) || is_known(name) || is_type_word(name)) continue;
      if (declares(i)) {
        declared_.insert(name);
      } else {
        add(name);
      }
    }
    std::erase_if(names_, [&](const UnsetName& each) { return declared_.contains(each.name); });
    return std::move(names_);
  }

 private:
  void read(const SourceLine& line) {
    const std::vector<Token> tokens = tokenize(line.text);
    if (line.kind == SourceLine::Kind::condition && (line.name == "if" || line.name == "elif"))
      read_condition(tokens);
    if (line.kind == SourceLine::Kind::define) declared_.insert(line.name);
    const bool is_unroll = line.kind == SourceLine::Kind::directive && has(tokens, "unroll");
    if (is_unroll && tokens.back().is_word() && tokens.back() != "unroll")
      add(std::string(tokens.back().text)).is_in_directive = true;
    const bool is_used_macro = line.kind == SourceLine::Kind::define && used_.contains(line.name);
    if (line.kind != SourceLine::Kind::code && !is_used_macro) return;
    // # define NAME value
    const std::size_t skipped = is_used_macro ? std::min<std::size_t>(3, tokens.size()) : 0;
    for (const Token& token : Tokens(tokens).subspan(skipped)) {
      if (token.kind != Token::Kind::comment) code_.push_back(token);
    }
    if (is_used_macro) code_.push_back({.text = ";"});
  }

  // The preprocessor divides by 0 where a name after % or / is not set.
  void read_condition(Tokens tokens) {
    const bool divides = has(tokens, "%") || has(tokens, "/");
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      const std::string name(tokens[i].text);
      if (!tokens[i].is_word() || is_known(name) || tokens[i - 1] == "defined") continue;
      std::size_t end = i + 1;
      while (end < tokens.size() && is_any_of(tokens[end].text, {"=", "!", "<", ">"})) ++end;
      const bool is_compared = end > i + 1 && end < tokens.size();
      const auto number = is_compared ? integer_of(tokens[end]) : std::nullopt;
      if (!number && !divides && !used_.contains(name)) continue;
      UnsetName& unset = add(name);
      unset.is_in_directive = true;
      const bool is_new =
          number && std::ranges::find(unset.compared_with, *number) == unset.compared_with.end();
      if (is_new) unset.compared_with.push_back(*number);
    }
  }

  UnsetName& add(const std::string& name) {
    const auto found = std::ranges::find(names_, name, &UnsetName::name);
    return found != names_.end() ? *found : names_.emplace_back(UnsetName{name, {}});
  }

  // struct A, enum { B }, using C = float, typedef float D
  void find_types() {
    for (std::size_t i = 0; i + 2 < code_.size(); ++i) {
      if (is_any_of(code_[i].text, {"struct", "class", "typename", "union", "using"}))
        types_.emplace(code_[i + 1].text);
      if (code_[i] == "typedef") {
        const auto end = std::ranges::find(code_.begin() + i, code_.end(), ";", &Token::text);
        types_.emplace((end - 1)->text);
      }
      if (code_[i] != "enum") continue;
      const auto open = std::ranges::find_if(code_.begin() + i, code_.end(),
                                             [](const Token& token) { return token == "{" || token == ";"; });
      for (auto each = open; each != code_.end() && *each != "}"; ++each) declared_.emplace(each->text);
    }
  }

  bool is(std::size_t at, std::initializer_list<std::string_view> texts) const {
    return at < code_.size() && is_any_of(code_[at].text, texts);
  }

  // True if the name at this place is declared there, or used as no constant can be: called, assigned to.
  bool declares(std::size_t at) const {
    const Token& before = code_[at - 1];
    if (before.is_word() && !is(at - 1, {"return", "else", "case", "and", "or", "not"})) return true;
    if (is_type(at)) return true;
    if (is(at - 1, {".", ":"}) && (before == "." || is(at - 2, {":"}))) return true;
    if (before == "}" && is(at + 1, {";", ","})) return true;
    if (before == ">" && (is(at - 2, {"-"}) || is(at + 1, {"=", ";", "{"}))) return true;
    if (is(at + 1, {"<"}) && is(closing_bracket(code_, at + 1) + 1, {"("})) return true;  // tex2D<float>(
    if (is(at + 1, {"(", "[", "{", "."}) || (is(at + 1, {"-"}) && is(at + 2, {">"})) ||
        (is(at + 1, {":"}) && is(at + 2, {":"})))
      return true;
    const bool is_compared = is(at - 1, {"=", "!", "<", ">"});
    if (is(at + 1, {"="}) && !is(at + 2, {"="}) && !is_compared) return true;
    if (is(at + 1, {"+", "-", "*", "/", "%", "&", "|", "^"}) && is(at + 2, {"="})) return true;
    const auto is_twice = [&](std::size_t first) {
      return is(first, {"+", "-"}) && code_[first] == code_[first + 1].text;
    };
    if ((at + 2 < code_.size() && is_twice(at + 1)) || (at >= 2 && is_twice(at - 2))) return true;
    return follows_type(at);
  }

  // Row in `Row a`, `Row* b` and `(Row*)c`, and the label of `Row:`.
  bool is_type(std::size_t at) const {
    const bool begins = is(at - 1, {";", "{", "}"});
    return code_[at + 1].is_word() || (begins && is(at + 1, {"*", "&", ":"})) ||
           (is(at + 1, {"*"}) && is(at + 2, {")", "*"}));
  }

  // `int a, b`: two words begin the statement.
  bool is_in_declaration(std::size_t at) const {
    int depth = 0;
    for (; at > 0 && !is(at - 1, {";", "{", "}"}); --at) {
      depth += is(at - 1, {")", "]"}) ? 1 : is(at - 1, {"(", "["}) ? -1 : 0;
      if (depth < 0) return false;
    }
    return code_[at].is_word() && code_[at] != "return" &&
           (code_[at + 1].is_word() || (is(at + 1, {"*"}) && (is_type_word(std::string(code_[at].text)) ||
                                                              types_.contains(code_[at].text))));
  }

  // float* name, Row& name, int a, name, and the address &name
  bool follows_type(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && is(begin - 1, {"*", "&"})) --begin;
    if (begin > 0 && is(begin - 1, {","}) && is_in_declaration(begin - 1)) return true;
    if (begin == at || begin == 0) return false;
    if (code_[at - 1] == "&" && is(begin - 1, {"(", ",", "="})) return true;
    const std::string word(code_[begin - 1].text);
    return is_type_word(word) || types_.contains(word);
  }

  const NameSet& used_;
  std::vector<Token> code_;
  std::vector<UnsetName> names_;
  std::set<std::string, std::less<>> declared_, types_;
};

}  // namespace

std::vector<UnsetName> unset_names(const FlatSource& source, const NameSet& used) {
  return UnsetNameFinder(source, used).run();
}

}  // namespace gktune
