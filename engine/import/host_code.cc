#include "engine/import/host_code.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "tuner/core/quantity.h"

namespace gktune {
namespace {

// 256, 256u, 1'024, 0x40.
std::optional<std::int64_t> integer_of(const Token& token) {
  if (token.kind != Token::Kind::number) return std::nullopt;
  std::string digits;
  for (const char c : token.text) {
    if (c != '\'') digits += c;
  }
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos) digits.pop_back();
  if (digits.find_first_of(".eE") != std::string::npos && !digits.starts_with("0x")) return std::nullopt;
  const auto value = parse_integer(digits);
  return value ? std::optional(*value) : std::nullopt;
}

// 2.5f, 1e-3, .5
std::optional<SizeTerm> real_of(const Token& token) {
  if (token.kind != Token::Kind::number || token.text.starts_with("0x")) return std::nullopt;
  std::string digits(token.text);
  while (!digits.empty() && std::string_view("fFlL").find(digits.back()) != std::string_view::npos) digits.pop_back();
  if (digits.starts_with('.')) digits.insert(0, "0");
  if (const auto point = digits.find('.'); point != std::string::npos) {
    const bool has_digit = point + 1 < digits.size() && digits[point + 1] >= '0' && digits[point + 1] <= '9';
    if (!has_digit) digits.insert(point + 1, "0");
  }
  const auto value = parse_number(digits);
  if (!value) return std::nullopt;
  const double number = value->is_real() ? value->real() : static_cast<double>(value->integer());
  if (std::floor(number) == number && std::abs(number) < 1e15)
    return SizeTerm::number(static_cast<std::int64_t>(number)).as_real();
  return SizeTerm::real(digits);
}

constexpr std::string_view kIntegerWords[] = {"int", "unsigned", "signed", "long", "short", "char", "size_t", "int32_t",
                                              "uint32_t", "int64_t", "uint64_t", "unsignedint", "uint", "const"};
constexpr std::string_view kRealWords[] = {"float", "double", "real", "const"};

template <std::size_t N>
bool are_all(Tokens tokens, const std::string_view (&words)[N]) {
  return !tokens.empty() &&
         std::ranges::all_of(tokens, [&](const Token& each) { return std::ranges::find(words, each.text) != std::end(words); });
}

// Words in front of a name that do not declare it.
bool declares_nothing(std::string_view word) {
  static constexpr std::string_view kWords[] = {"return", "else", "goto", "case", "do", "delete", "new", "throw", "sizeof"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

// What a cast, a `&` or a wrapper leaves of a pointer's expression: its words that are no types.
bool is_type_or_cast(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "static_cast", "reinterpret_cast", "const_cast", "thrust", "raw_pointer_cast", "std",   "const", "void", "float",
      "double",      "int",              "unsigned",   "long",   "short",            "char",  "bool",  "data", "get",
      "begin",       "size_t",           "half",       "__half", "signed"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

std::size_t opening_bracket(Tokens tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (tokens[i] == ")" || tokens[i] == "]" || tokens[i] == "}") ++depth;
    if ((tokens[i] == "(" || tokens[i] == "[" || tokens[i] == "{") && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace

Tokens without_condition(Tokens expression) {
  const auto is_input = [](Tokens part) { return has(part, "argv") || has(part, "argc") || has(part, "getenv"); };
  int depth = 0;
  std::size_t question = expression.size();
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const Token& token = expression[i];
    if (token == "(" || token == "[" || token == "{") ++depth;
    if (token == ")" || token == "]" || token == "}") --depth;
    if (depth != 0) continue;
    if (token == "?" && question == expression.size()) question = i;
    const bool is_scope = token == ":" && ((i + 1 < expression.size() && expression[i + 1] == ":") || (i > 0 && expression[i - 1] == ":"));
    if (token == ":" && !is_scope && question < expression.size()) {
      const Tokens first = expression.subspan(question + 1, i - question - 1), second = expression.subspan(i + 1);
      return is_input(second) && !is_input(first) ? first : without_condition(second);
    }
  }
  return expression;
}

// Reads an expression at a place of the source.
struct HostCode::Parser {
  HostCode& host;
  Tokens tokens;
  std::size_t place;
  std::size_t at = 0;

  bool is(std::string_view text) const { return at < tokens.size() && tokens[at] == text; }
  bool is_pair(std::string_view text) const { return is(text) && at + 1 < tokens.size() && tokens[at + 1] == text; }

  std::optional<SizeTerm> all() {
    auto term = shift();
    return term && at == tokens.size() && term->is_sound() ? term : std::nullopt;
  }

  // 1 << 20, n >> 1
  std::optional<SizeTerm> shift() {
    auto left = sum();
    while (left && (is_pair("<") || is_pair(">"))) {
      const bool is_left = is("<");
      at += 2;
      const auto right = sum();
      const auto bits = right ? right->constant() : std::nullopt;
      if (!bits || *bits < 0 || *bits > 40) return std::nullopt;
      const SizeTerm power = SizeTerm::number(std::int64_t{1} << *bits);
      left = is_left ? std::optional(left->times(power)) : left->divided_by(power);
    }
    return left;
  }

  std::optional<SizeTerm> sum() {
    auto left = product();
    while (left && (is("+") || is("-"))) {
      const bool is_plus = is("+");
      ++at;
      const auto right = product();
      if (!right) return std::nullopt;
      left = is_plus ? left->plus(*right) : left->minus(*right);
    }
    return left;
  }

  std::optional<SizeTerm> product() {
    auto left = primary();
    while (left && (is("*") || is("/") || is("%"))) {
      const char sign = tokens[at++].text[0];
      const auto right = primary();
      if (!right) return std::nullopt;
      left = sign == '*' ? std::optional(left->times(*right)) : sign == '/' ? left->divided_by(*right) : left->remainder(*right);
    }
    return left;
  }

  std::optional<SizeTerm> primary() {
    if (at >= tokens.size()) return std::nullopt;
    const Token& token = tokens[at];
    if (token == "(") return in_brackets();
    if (token == "-" || token == "+") {
      ++at;
      const auto operand = primary();
      return operand && token == "-" ? std::optional(SizeTerm::number(0).minus(*operand)) : operand;
    }
    if (const auto value = integer_of(token)) {
      ++at;
      const auto name = host.literals.find(*value);
      return name == host.literals.end() ? SizeTerm::number(*value) : SizeTerm::atom(name->second, *value);
    }
    if (auto real = real_of(token)) {
      ++at;
      return real;
    }
    if (!token.is_word()) return std::nullopt;
    if (token == "std" && at + 3 < tokens.size() && tokens[at + 1] == ":") {
      at += 3;
      return primary();
    }
    if (token == "static_cast" && at + 1 < tokens.size()) {
      const std::size_t open = at + 1, close = closing_bracket(tokens, open);
      if (close + 1 >= tokens.size() || tokens[close + 1] != "(") return std::nullopt;
      at = close + 1;
      return cast(tokens.subspan(open + 1, close - open - 1), in_brackets());
    }
    ++at;
    if (token == "sizeof" && !is("(")) {  // sizeof *p
      const std::size_t begin = at;
      while (is("*")) ++at;
      if (at >= tokens.size()) return std::nullopt;
      ++at;
      return host.size_of(tokens.subspan(begin, at - begin), place);
    }
    if (is("(")) return call(token);
    if (is(".")) return member(token.text);
    if (is("-") && at + 1 < tokens.size() && tokens[at + 1] == ">") {
      ++at;
      return member(token.text);
    }
    return name(token.text);
  }

  static std::optional<SizeTerm> cast(Tokens type, std::optional<SizeTerm> value) {
    if (!value) return value;
    return are_all(type, kRealWords) ? value->as_real() : value->as_integer();
  }

  std::optional<SizeTerm> in_brackets() {
    const std::size_t close = closing_bracket(tokens, at);
    if (close == tokens.size()) return std::nullopt;
    const Tokens inner = tokens.subspan(at + 1, close - at - 1);
    const bool is_cast = are_all(inner, kIntegerWords) || are_all(inner, kRealWords);
    at = close + 1;
    if (is_cast && at < tokens.size()) return cast(inner, primary());
    return host.translate(inner, place);
  }

  std::optional<SizeTerm> call(const Token& function) {
    const std::size_t open = at, close = closing_bracket(tokens, open);
    if (close == tokens.size()) return std::nullopt;
    at = close + 1;
    const std::vector<Tokens> items = split_list(tokens, open);
    if (function == "sizeof") return host.size_of(tokens.subspan(open + 1, close - open - 1), place);
    static const std::regex kRoundUp("(ceil_?div|div_?(round)?_?up|cdiv|i?div_?up|divide_?up|div_?ceil|updiv)", std::regex::icase);
    std::vector<SizeTerm> terms;
    for (const Tokens item : items) {
      auto term = host.translate(item, place);
      if (!term) return std::nullopt;
      terms.push_back(*std::move(term));
    }
    if (terms.size() == 1 && (function == "ceil" || function == "ceilf")) return terms[0].rounded_up();
    if (terms.size() == 1 && (function == "floor" || function == "floorf")) return terms[0].as_integer();
    const Tokens name(&function, 1);
    if (terms.size() == 1 && (are_all(name, kIntegerWords) || are_all(name, kRealWords))) return cast(name, terms[0]);
    if (terms.size() != 2) return std::nullopt;
    if (std::regex_match(std::string(function.text), kRoundUp))
      return terms[0].as_real().divided_by(terms[1]).value_or(terms[0]).rounded_up();
    if (function != "min" && function != "max") return std::nullopt;
    const auto a = terms[0].constant(), b = terms[1].constant();
    if (a && b) return SizeTerm::number(function == "min" ? std::min(*a, *b) : std::max(*a, *b));
    return SizeTerm::atom(std::string(function.text) + "(" + terms[0].text() + ", " + terms[1].text() + ")");
  }

  // block.x, options.rows
  std::optional<SizeTerm> member(std::string_view object) {
    if (at + 1 >= tokens.size()) return std::nullopt;
    const std::string_view word = tokens[at + 1].text;
    at += 2;
    if (word == "multiProcessorCount") return SizeTerm::atom("device.multiprocessors");
    const std::string full = std::string(object) + '.' + std::string(word);
    if (const auto alias = host.known.find(full); alias != host.known.end()) return SizeTerm::atom(alias->second);
    const Definition* found = host.find(object, place);
    if (found == nullptr || !found->is_dim3) return name(word);
    const std::size_t axis = word == "x" ? 0 : word == "y" ? 1 : word == "z" ? 2 : 3;
    if (axis > 2) return std::nullopt;
    if (axis >= found->values.size()) return SizeTerm::number(1);
    return host.translate(found->values[axis], found->place);
  }

  std::optional<SizeTerm> name(std::string_view word) {
    if (const auto alias = host.known.find(word); alias != host.known.end()) return SizeTerm::atom(alias->second);
    if (auto asked = host.asked_of_device(word)) return asked;
    const auto value = host.definition(word, place);
    return value ? host.translate(value->tokens, value->place) : std::nullopt;
  }
};

HostCode::HostCode(Tokens tokens) : tokens_(tokens) {
  find_functions();
  find_definitions();
  find_parameters();
}

std::optional<SizeTerm> HostCode::translate(Tokens expression, std::size_t place) {
  if (depth_ >= kDeepest) return std::nullopt;
  ++depth_;
  auto term = Parser{*this, without_condition(expression), place}.all();
  --depth_;
  return term;
}

// Functions with a body; those of classes too.
void HostCode::find_functions() {
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    if (tokens_[i] != "{") continue;
    std::size_t close = i - 1;
    while (close > 0 && (tokens_[close] == "const" || tokens_[close] == "noexcept" || tokens_[close] == "override")) --close;
    if (tokens_[close] != ")") continue;
    const std::size_t open = opening_bracket(tokens_, close);
    if (open == tokens_.size() || open == 0 || !tokens_[open - 1].is_word()) continue;
    std::size_t begin = open - 1;
    while (begin > 0 && tokens_[begin - 1] != ";" && tokens_[begin - 1] != "}" && tokens_[begin - 1] != "{") --begin;
    const Tokens head = tokens_.subspan(begin, open - begin);
    const bool is_device = has(head, "__global__") || (has(head, "__device__") && !has(head, "__host__"));
    const std::size_t end = closing_bracket(tokens_, i);
    if (end == tokens_.size()) return;
    functions_.push_back({std::string(tokens_[open - 1].text), open, i, end, is_device});
    i = end;
  }
}

std::size_t HostCode::scope_of(std::size_t place) const {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (place >= functions_[i].parameters && place <= functions_[i].end) return i;
  }
  return kOutside;
}

void HostCode::add(const std::string& name, Definition definition) { definitions_[name].push_back(std::move(definition)); }

void HostCode::define(const std::string& name, Tokens value) {
  if (!definitions_.contains(name)) add(name, {kOutside, false, {value}, 0});
}

// i of `for (int i = 0;`
bool HostCode::is_loop_variable(std::size_t at) const {
  while (at > 0 && (tokens_[at - 1].is_word() || tokens_[at - 1] == ":" || tokens_[at - 1] == "*")) --at;
  return at > 1 && tokens_[at - 1] == "(" && tokens_[at - 2] == "for";
}

// True if the statement at this token declares dim3 variables.
bool HostCode::is_dim3_list(std::size_t at) const {
  while (at > 0 && tokens_[at - 1] != ";" && tokens_[at - 1] != "{" && tokens_[at - 1] != "}") --at;
  return at < tokens_.size() && (tokens_[at] == "dim3" || (tokens_[at] == "const" && tokens_[at + 1] == "dim3"));
}

// `int n = …;`, `int a = 1, b = 2;`, `dim3 grid(…)`, `dim3 grid = dim3(…)`, `dim3 grid{…}`, `options.rows = …;`.
void HostCode::find_definitions() {
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i].is_word()) find_definition(i);
  }
}

void HostCode::find_definition(std::size_t at) {
  const std::size_t scope = scope_of(at);
  if (scope != kOutside && functions_[scope].is_device) return;
  const std::string name(tokens_[at].text);
  const Token &before = tokens_[at - 1], &next = tokens_[at + 1];
  const bool is_listed = before == "," && is_dim3_list(at);
  if ((before == "dim3" || is_listed) && (next == "(" || next == "{")) {
    add(name, {scope, true, split_list(tokens_, at + 1), at});
    return;
  }
  if (before == "dim3" && next == ";") {  // dim3 block; block.x = 16;
    add(name, {scope, true, {}, at});
    return;
  }
  if (next != "=" || at + 2 >= tokens_.size() || tokens_[at + 2] == "=") return;
  if ((before.is_word() && declares_nothing(before.text)) || is_loop_variable(at)) return;
  std::size_t end = at + 2;
  for (; end < tokens_.size() && tokens_[end] != ";" && tokens_[end] != "," && tokens_[end] != "}"; ++end) {
    if (tokens_[end] == "(" || tokens_[end] == "{" || tokens_[end] == "[") end = closing_bracket(tokens_, end);
    if (end >= tokens_.size()) return;
  }
  const Tokens value = tokens_.subspan(at + 2, end - at - 2);
  if (value.empty()) return;
  const bool is_declared = before.is_word() || before == "," || before == "*" || before == ">";
  const bool is_member = before == "." && at > 1;
  const Definition* earlier = find(name, at);
  if (is_member) {
    const auto object = definitions_.find(tokens_[at - 2].text);
    const bool is_axis = name == "x" || name == "y" || name == "z";
    if (is_axis && object != definitions_.end() && object->second.back().is_dim3) {
      auto& values = object->second.back().values;
      const auto place = static_cast<std::size_t>(name[0] - 'x');
      static const std::vector<Token> kOne = tokenize("1");
      while (values.size() <= place) values.emplace_back(kOne);
      values[place] = value;
      return;
    }
  }
  // A later value counts where the declaration has none; one of the program's arguments never.
  if (!is_declared && earlier != nullptr && (earlier->scope == scope || has(value, "argv"))) return;
  const bool is_dim3 = before == "dim3" || is_listed || (value.size() > 2 && value[0] == "dim3");
  const std::size_t list = value[0] == "dim3" ? 1 : 0;
  const bool has_list = is_dim3 && value.size() > list + 1 && (value[list] == "(" || value[list] == "{");
  add(name, has_list ? Definition{scope, true, split_list(value, list), at} : Definition{scope, is_dim3, {value}, at});
}

// A function's parameter is what its first call passes.
void HostCode::find_parameters() {
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    const Function& function = functions_[f];
    if (function.is_device || function.name == "main") continue;
    const std::vector<Tokens> parameters = split_list(tokens_, function.parameters);
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] != function.name || tokens_[i + 1] != "(" || i + 1 == function.parameters) continue;
      const std::size_t caller = scope_of(i);
      if (caller == kOutside || caller == f || functions_[caller].is_device) continue;
      const std::vector<Tokens> passed = split_list(tokens_, i + 1);
      for (std::size_t k = 0; k < parameters.size() && k < passed.size(); ++k) {
        if (parameters[k].empty() || passed[k].empty() || !parameters[k].back().is_word()) continue;
        add(std::string(parameters[k].back().text), {f, has(parameters[k], "dim3"), {passed[k]}, i});
      }
      break;
    }
  }
}

const HostCode::Definition* HostCode::find(std::string_view name, std::size_t place) const {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return nullptr;
  const std::size_t scope = scope_of(place);
  const Definition *outside = nullptr, *other = nullptr, *own = nullptr;
  for (const Definition& each : found->second) {
    if (each.scope == scope && own == nullptr) own = &each;
    if (each.scope == kOutside && outside == nullptr) outside = &each;
    if (other == nullptr) other = &each;
  }
  return own != nullptr ? own : outside != nullptr ? outside : other;
}

std::vector<HostCode::Written> HostCode::extents(Tokens config, std::size_t place) const {
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (config.size() > 2 && (config[0] == "dim3" || config[0] == "{")) {
      std::vector<Written> all;
      for (const Tokens each : split_list(config, config[0] == "dim3" ? 1 : 0)) all.push_back({each, place});
      return all;
    }
    const Definition* found = config.size() == 1 && config[0].is_word() ? find(config[0].text, place) : nullptr;
    if (found == nullptr || !found->is_dim3) break;
    const bool is_other = found->values.size() == 1 && found->values[0].size() == 1 && found->values[0][0].is_word() &&
                          is_dim3(found->values[0][0].text, found->place);
    if (!is_other) {
      std::vector<Written> all;
      for (const Tokens each : found->values) all.push_back({each, found->place});
      return all;
    }
    config = found->values[0];
    place = found->place;
  }
  return {{config, place}};
}

bool HostCode::is_dim3(std::string_view name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found != nullptr && found->is_dim3;
}

std::optional<HostCode::Written> HostCode::definition(std::string_view name, std::size_t place) const {
  const Definition* found = find(name, place);
  if (found == nullptr || found->is_dim3 || found->values.size() != 1) return std::nullopt;
  return Written{found->values[0], found->place};
}

bool HostCode::is_program_argument(std::string_view name, std::size_t place) const {
  const auto value = definition(name, place);
  if (value && (has(value->tokens, "argv") || has(value->tokens, "argc"))) return true;
  for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != name || tokens_[i + 1] != "=") continue;
    for (std::size_t k = i + 2; k < tokens_.size() && tokens_[k] != ";"; ++k) {
      if (tokens_[k] == "argv") return true;
    }
  }
  return false;
}

std::vector<HostCode::Source> HostCode::sources_of(Tokens expression, std::size_t place) const {
  std::vector<Source> found;
  add_sources(expression, place, 0, found);
  return found;
}

void HostCode::add_sources(Tokens expression, std::size_t place, int depth, std::vector<Source>& found) const {
  if (depth > kDeepest) return;
  expression = without_condition(expression);
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const Token& token = expression[i];
    if (!token.is_word()) continue;
    const bool is_call = i + 1 < expression.size() && (expression[i + 1] == "(" || expression[i + 1] == "<" || expression[i + 1] == ":");
    if (token == "sizeof") {
      i = i + 1 < expression.size() && expression[i + 1] == "(" ? closing_bracket(expression, i + 1) : i + 2;
      continue;
    }
    if (is_call || known.contains(token.text)) continue;
    const bool has_member = i + 2 < expression.size() && expression[i + 1] == ".";
    const Definition* value = find(token.text, place);
    if (has_member) {
      if (known.contains(std::string(token.text) + "." + std::string(expression[i + 2].text))) {
        i += 2;
        continue;
      }
      if (value == nullptr || !value->is_dim3) continue;  // the member's name is next
      i += 2;
    }
    if (value == nullptr || asked_of_device(token.text)) continue;
    const std::size_t before = found.size();
    for (const Tokens each : value->values) add_sources(each, value->place, depth + 1, found);
    if (found.size() > before || value->is_dim3) continue;
    const bool is_derived = std::ranges::any_of(value->values[0], [&](const Token& each) { return known.contains(each.text); });
    if (is_derived) continue;
    std::string name(token.text);
    if (std::ranges::find(found, name, &Source::name) == found.end()) found.push_back({std::move(name), place});
  }
}

std::vector<FoundLaunch> HostCode::launches() const {
  std::vector<FoundLaunch> found;
  const auto is_triple = [&](std::size_t i, std::string_view sign) {
    return i + 2 < tokens_.size() && tokens_[i] == sign && tokens_[i + 1] == sign && tokens_[i + 2] == sign &&
           tokens_[i + 2].text.data() == tokens_[i].text.data() + 2;
  };
  for (std::size_t i = 1; i + 3 < tokens_.size(); ++i) {
    const bool is_call = tokens_[i] == "cudaLaunchKernel" || tokens_[i] == "cudaLaunchCooperativeKernel";
    if (is_call && tokens_[i + 1] == "(") {
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      if (items.size() < 4 || items[0].empty()) continue;
      FoundLaunch launch;
      launch.place = i;
      launch.is_cooperative = tokens_[i] == "cudaLaunchCooperativeKernel";
      std::size_t name = items[0].size() - 1;
      while (name > 0 && !items[0][name].is_word()) --name;
      launch.kernel = items[0][name].text;
      launch.config = {items[1], items[2]};
      if (items.size() > 4) launch.config.push_back(items[4]);
      // void* list[] = {&a, &b};
      for (std::size_t k = 0; k + 3 < tokens_.size() && items[3].size() == 1; ++k) {
        if (tokens_[k] != items[3][0].text || tokens_[k + 1] != "[" || scope_of(k) != scope_of(i)) continue;
        std::size_t list = closing_bracket(tokens_, k + 1) + 1;
        if (list < tokens_.size() && tokens_[list] == "=") ++list;
        if (list < tokens_.size() && tokens_[list] == "{") launch.arguments = split_list(tokens_, list);
        break;
      }
      for (Tokens& argument : launch.arguments) {
        while (argument.size() > 1 && (argument[0] == "(" || argument[0] == "&")) {
          const std::size_t skipped = argument[0] == "&" ? 1 : closing_bracket(argument, 0) + 1;
          if (skipped >= argument.size()) break;
          argument = argument.subspan(skipped);
        }
      }
      found.push_back(std::move(launch));
      continue;
    }
    if (!is_triple(i, "<")) continue;
    FoundLaunch launch;
    std::size_t name = i - 1;
    if (tokens_[name] == ">") {
      int depth = 0;
      for (; name > 0; --name) {
        if (tokens_[name] == ">") ++depth;
        if (tokens_[name] == "<" && --depth == 0) break;
      }
      const Tokens list = tokens_.subspan(name, i - name);
      launch.template_arguments.assign(list.begin(), list.end());
      if (name == 0) continue;
      --name;
    }
    launch.kernel = tokens_[name].text;
    launch.place = name;
    std::size_t end = i + 3, begin = end;
    for (; end < tokens_.size() && !is_triple(end, ">"); ++end) {
      if (tokens_[end] == ",") {
        launch.config.push_back(tokens_.subspan(begin, end - begin));
        begin = end + 1;
      } else if (tokens_[end] == "(" || tokens_[end] == "{" || tokens_[end] == "[") {
        end = closing_bracket(tokens_, end);
      }
      if (end >= tokens_.size()) break;
    }
    if (end + 3 >= tokens_.size() || tokens_[end + 3] != "(") continue;
    launch.config.push_back(tokens_.subspan(begin, end - begin));
    launch.arguments = split_list(tokens_, end + 3);
    if (launch.config.size() >= 2) found.push_back(std::move(launch));
  }
  return found;
}

// typedef float real; using real = float;
std::string HostCode::resolved_type(std::string type) const {
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (element_type_from_name(type)) return type;
    std::string other;
    for (std::size_t i = 1; i + 1 < tokens_.size() && other.empty(); ++i) {
      if (tokens_[i] != type) continue;
      std::size_t begin = i;
      while (begin > 0 && tokens_[begin - 1] != ";" && tokens_[begin - 1] != "}" && tokens_[begin - 1] != "{") --begin;
      if (tokens_[begin] == "typedef" && tokens_[i + 1] == ";" && i > begin + 1) {
        std::size_t first = begin + 1;
        if (tokens_[first] == "struct" && first + 1 < i) ++first;
        other = text_of(tokens_.subspan(first, i - first));
      } else if (tokens_[i - 1] == "using" && tokens_[i + 1] == "=") {
        std::size_t end = i + 2;
        while (end < tokens_.size() && tokens_[end] != ";") ++end;
        other = text_of(tokens_.subspan(i + 2, end - i - 2));
      }
    }
    if (other.empty() || other == type) return type;
    type = other;
  }
  return type;
}

// struct Body { float x, y; float* data; };  typedef struct { … } Body;
std::vector<StructMember> HostCode::members(std::string_view type) const {
  for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != "struct" && tokens_[i] != "class") continue;
    std::size_t open = i + 1;
    while (open < tokens_.size() && tokens_[open] != "{" && tokens_[open] != ";" && tokens_[open] != ")" && tokens_[open] != "*") ++open;
    if (open >= tokens_.size() || tokens_[open] != "{") continue;
    const std::size_t close = closing_bracket(tokens_, open);
    if (close == tokens_.size()) return {};
    const bool is_named = has(tokens_.subspan(i + 1, open - i - 1), type);
    const bool is_typedef = i > 0 && tokens_[i - 1] == "typedef" && close + 1 < tokens_.size() && tokens_[close + 1] == type;
    if (!is_named && !is_typedef) continue;
    std::vector<StructMember> all;
    std::size_t begin = open + 1;
    for (std::size_t k = begin; k < close; ++k) {
      if (tokens_[k] == "(" || tokens_[k] == "{") {  // a function, an initializer
        k = closing_bracket(tokens_, k);
        if (tokens_[k] == "}" && k + 1 < close && tokens_[k + 1] != ";") begin = k + 1;
        continue;
      }
      if (tokens_[k] == ":" && k > begin && tokens_[k - 1].is_word() && tokens_[k + 1] != ":") begin = k + 1;  // public:
      if (tokens_[k] != ";") continue;
      const Tokens statement = tokens_.subspan(begin, k - begin);
      begin = k + 1;
      if (has(statement, "(") || has(statement, "using") || has(statement, "static")) continue;
      std::string base;
      std::size_t at = 0;
      for (; at < statement.size() && (statement[at].is_word() || statement[at] == ":"); ++at) {
        const bool is_name = at + 1 == statement.size() || (!statement[at + 1].is_word() && statement[at + 1] != ":" && statement[at + 1] != "*");
        if (is_name) break;
        if (statement[at] != "const") base += (base.empty() || base.ends_with(':') || statement[at] == ":" ? "" : " ") + std::string(statement[at].text);
      }
      std::string stars;
      for (; at < statement.size(); ++at) {
        if (statement[at] == "*") stars += '*';
        if (statement[at] == "=") {
          while (at < statement.size() && statement[at] != ",") ++at;
        }
        if (at < statement.size() && statement[at] == ",") stars.clear();
        if (at >= statement.size() || !statement[at].is_word()) continue;
        StructMember member{base + stars, std::string(statement[at].text)};
        int count = 1;
        if (at + 2 < statement.size() && statement[at + 1] == "[") {
          count = static_cast<int>(std::clamp<std::int64_t>(integer_of(statement[at + 2]).value_or(0), 0, 4096));
          at = closing_bracket(statement, at + 1);
        }
        for (int c = 0; c < count; ++c) all.push_back(member);
        if (count == 0) return {};
      }
    }
    return all;
  }
  return {};
}

std::optional<TypeLayout> HostCode::layout(std::string_view type) const {
  std::string name(type);
  std::erase(name, '&');
  if (name.starts_with("const ")) name.erase(0, 6);
  if (name.starts_with("struct ")) name.erase(0, 7);
  if (name.ends_with('*')) return TypeLayout{8, 8, std::nullopt, 0};
  name = resolved_type(name);
  if (name.ends_with('*')) return TypeLayout{8, 8, std::nullopt, 0};
  static const std::regex kVector("(u?char|u?short|u?int|u?long|u?longlong|float|double|half)([1234])");
  std::smatch parts;
  if (std::regex_match(name, parts, kVector)) {
    const std::string part = parts[1].str();
    const std::string base = part == "char" ? "int8" : part == "uchar" ? "uint8" : part == "ushort" ? "uint16" : part == "uint" ? "uint32"
                             : part == "long" || part == "longlong"    ? "int64"
                             : part == "ulong" || part == "ulonglong"  ? "uint64"
                                                                       : part;
    if (const auto element = element_type_from_name(base)) {
      const auto count = static_cast<std::size_t>(parts[2].str()[0] - '0');
      const std::size_t size = element_size(*element);
      return TypeLayout{size * count, count == 3 ? size : std::min<std::size_t>(16, size * count), element, count};
    }
  }
  if (const auto element = element_type_from_name(name)) {
    const std::size_t size = element_size(*element);
    return TypeLayout{size, size, element, 1};
  }
  static const std::map<std::string, std::size_t, std::less<>> kStates = {
      {"curandState", 48}, {"curandState_t", 48}, {"curandStateXORWOW_t", 48}, {"curandStateXORWOW", 48},
      {"curandStatePhilox4_32_10_t", 64}, {"curandStatePhilox4_32_10", 64}};
  if (const auto state = kStates.find(name); state != kStates.end())
    return TypeLayout{state->second, state->second == 48 ? 8u : 16u, std::nullopt, 0};
  const std::vector<StructMember> parts_of = members(name);
  if (parts_of.empty()) return std::nullopt;
  TypeLayout all;
  bool is_uniform = true;
  for (const StructMember& member : parts_of) {
    if (member.type == name) return std::nullopt;
    const auto part = layout(member.type);
    if (!part || part->size > 4096) return std::nullopt;
    all.alignment = std::max(all.alignment, part->alignment);
    const std::size_t start = (all.size + part->alignment - 1) / part->alignment * part->alignment;
    is_uniform = is_uniform && start == all.size && part->element && (!all.element || all.element == part->element);
    if (!all.element) all.element = part->element;
    all.elements += part->elements;
    all.size = start + part->size;
  }
  const std::size_t padded = (all.size + all.alignment - 1) / all.alignment * all.alignment;
  if (!is_uniform || padded != all.size) all.element.reset();
  all.size = padded;
  return all;
}

// The type of a variable, without a `*` for arrays: "float*" of `float *in, *out;`. In the same function first.
std::optional<std::string> HostCode::declared_type(std::string_view name, std::size_t place) const {
  std::optional<std::string> elsewhere;
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != name || (!tokens_[i - 1].is_word() && tokens_[i - 1] != "*" && tokens_[i - 1] != ",")) continue;
    std::string stars;
    for (std::size_t k = i; k > 0 && tokens_[k - 1] == "*"; --k) stars += '*';
    std::size_t begin = i, comma = i;
    while (begin > 0 && tokens_[begin - 1] != ";" && tokens_[begin - 1] != "{" && tokens_[begin - 1] != "}" && tokens_[begin - 1] != "(") {
      --begin;
      if (tokens_[begin] == "," && comma == i) comma = begin;
    }
    const bool is_parameter = begin > 0 && tokens_[begin - 1] == "(";
    if (is_parameter && comma < i) begin = comma + 1;
    std::string base;
    for (std::size_t k = begin; k < i && (tokens_[k].is_word() || tokens_[k] == ":"); ++k) {
      if (tokens_[k] == "const" || tokens_[k] == "static" || tokens_[k] == "struct") continue;
      const bool is_type = tokens_[k + 1].is_word() || tokens_[k + 1] == "*" || tokens_[k + 1] == ":" || tokens_[k] == ":";
      if (!is_type) break;
      base += (base.empty() || base.ends_with(':') || tokens_[k] == ":" ? "" : " ") + std::string(tokens_[k].text);
    }
    if (base.empty() || declares_nothing(base)) continue;
    if (scope_of(i) == scope_of(place)) return base + stars;
    if (!elsewhere) elsewhere = base + stars;
  }
  return elsewhere;
}

// sizeof(float), sizeof(float4), sizeof(*p), sizeof p[0]
std::optional<SizeTerm> HostCode::size_of(Tokens what, std::size_t place) {
  const auto bytes = [](const std::optional<TypeLayout>& layout) {
    return layout ? std::optional(SizeTerm::number(static_cast<std::int64_t>(layout->size))) : std::nullopt;
  };
  if (auto size = bytes(layout(text_of(what)))) return size;
  std::size_t stars = 0;
  while (stars < what.size() && what[stars] == "*") ++stars;
  if (stars >= what.size() || !what[stars].is_word()) return std::nullopt;
  const std::string_view name = what[stars].text;
  if (stars + 1 < what.size() && what[stars + 1] == "[") ++stars;
  auto type = declared_type(name, place);
  if (!type) return std::nullopt;
  for (; stars > 0 && type->ends_with('*'); --stars) type->pop_back();
  auto size = bytes(layout(*type));
  if (!size || stars > 0) return size;
  // The extents of an array: sizeof(bins).
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != name || !tokens_[i - 1].is_word() || tokens_[i + 1] != "[") continue;
    for (std::size_t open = i + 1; open < tokens_.size() && tokens_[open] == "[";) {
      const std::size_t close = closing_bracket(tokens_, open);
      if (close == tokens_.size()) return std::nullopt;
      const auto extent = translate(tokens_.subspan(open + 1, close - open - 1), place);
      if (!extent) return std::nullopt;
      size = size->times(*extent);
      open = close + 1;
    }
    break;
  }
  return size;
}

// The names of variables that a pointer comes from: casts, wrappers, and what is passed to the function around it.
std::vector<std::string> HostCode::pointer_names(Tokens pointer, std::size_t place) const {
  std::vector<std::string> names{text_of(pointer)};
  for (int depth = 0; depth < 4; ++depth) {
    std::string_view word;
    for (std::size_t i = 0; i < pointer.size() && word.empty(); ++i) {
      if (!pointer[i].is_word() || is_type_or_cast(pointer[i].text)) continue;
      const bool is_cast = i + 1 < pointer.size() && pointer[i + 1] == "*";  // (float4*)p
      if (!is_cast) word = pointer[i].text;
    }
    if (word.empty()) break;
    if (std::ranges::find(names, word) == names.end()) names.emplace_back(word);
    const auto value = definition(word, place);
    if (!value || value->tokens.empty() || (value->tokens[0] == "{")) break;
    pointer = value->tokens;
    place = value->place;
  }
  return names;
}

std::optional<HostCode::Allocation> HostCode::allocation(Tokens pointer, std::size_t place) const {
  for (const std::string& name : pointer_names(pointer, place)) {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (tokens_[i] == "device_vector" && tokens_[i + 1] == "<") {  // thrust::device_vector<float> a(n), b(n);
        const std::size_t close = closing_bracket(tokens_, i + 1);
        std::size_t at = close + 1;
        while (at + 1 < tokens_.size() && tokens_[at] != name && tokens_[at].is_word() && tokens_[at + 1] == "(") {
          at = closing_bracket(tokens_, at + 1) + 1;
          if (at >= tokens_.size() || tokens_[at] != ",") break;
          ++at;
        }
        if (at + 1 >= tokens_.size() || tokens_[at] != name || tokens_[at + 1] != "(") continue;
        const auto type = layout(text_of(tokens_.subspan(i + 2, close - i - 2)));
        const std::vector<Tokens> items = split_list(tokens_, at + 1);
        if (!type || items.empty()) return std::nullopt;
        return Allocation{{items[0]}, type->size, i};
      }
      if (!tokens_[i].text.starts_with("cudaMalloc") || tokens_[i] == "cudaMallocHost" || tokens_[i + 1] != "(") continue;
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      const bool has_pitch = tokens_[i] == "cudaMallocPitch";
      if (items.size() < (has_pitch ? 4u : 2u)) continue;
      if (!text_of(items[0]).ends_with("&" + name) && !has(items[0], name)) continue;
      if (has_pitch) return Allocation{{items[2], items[3]}, 1, i};
      return Allocation{{items[1]}, 1, i};
    }
  }
  return std::nullopt;
}

std::optional<SizeTerm> HostCode::bytes_of(const Allocation& allocation) {
  SizeTerm bytes = SizeTerm::number(static_cast<std::int64_t>(allocation.element));
  for (const Tokens factor : allocation.factors) {
    const auto term = translate(factor, allocation.place);
    if (!term) return std::nullopt;
    bytes = bytes.times(*term);
  }
  return bytes.as_integer();
}

std::optional<SizeTerm> HostCode::loop_start(std::string_view name, std::size_t place) {
  for (std::size_t i = 2; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != name || tokens_[i + 1] != "=" || scope_of(i) != scope_of(place) || !is_loop_variable(i)) continue;
    std::size_t end = i + 2;
    while (end < tokens_.size() && tokens_[end] != ";") ++end;
    return translate(tokens_.subspan(i + 2, end - i - 2), i);
  }
  return std::nullopt;
}

std::vector<Tokens> HostCode::initializer(std::string_view name) const {
  for (std::size_t i = 1; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != name || !tokens_[i - 1].is_word()) continue;
    const std::size_t open = tokens_[i + 1] == "=" ? i + 2 : i + 1;
    if (tokens_[open] == "{") return split_list(tokens_, open);
  }
  return {};
}

// What a call writes to a variable whose address it gets.
std::optional<SizeTerm> HostCode::asked_of_device(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != "cudaDeviceGetAttribute" && !tokens_[i].text.starts_with("cudaOccupancyMaxActiveBlocks")) continue;
    if (tokens_[i + 1] != "(") continue;
    const std::vector<Tokens> items = split_list(tokens_, i + 1);
    if (items.size() < 2 || items[0].empty() || items[0].back() != name) continue;
    if (tokens_[i] != "cudaDeviceGetAttribute") return SizeTerm::number(1);  // of a multiprocessor: at least one fits
    if (has(items[1], "cudaDevAttrMultiProcessorCount")) return SizeTerm::atom("device.multiprocessors");
  }
  return std::nullopt;
}

std::optional<HostCode::Filling> HostCode::memset_of(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
    if ((tokens_[i] != "cudaMemset" && tokens_[i] != "cudaMemsetAsync") || tokens_[i + 1] != "(") continue;
    const std::vector<Tokens> items = split_list(tokens_, i + 1);
    if (items.size() < 3) continue;
    const bool is_it = std::ranges::any_of(names, [&](const std::string& name) { return text_of(items[0]) == name || has(items[0], name); });
    if (!is_it) continue;
    const auto value = translate(items[1], i);
    if (!value || !value->constant()) return std::nullopt;
    return Filling{Filling::Kind::constant, *value, {}, translate(items[2], i), true};
  }
  return std::nullopt;
}

std::optional<HostCode::Filling> HostCode::filling(Tokens pointer, std::size_t place) {
  const std::vector<std::string> names = pointer_names(pointer, place);
  for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
    if ((tokens_[i] != "cudaMemcpy" && tokens_[i] != "cudaMemcpyAsync") || tokens_[i + 1] != "(") continue;
    const std::vector<Tokens> items = split_list(tokens_, i + 1);
    if (items.size() < 4 || (!has(items[3], "cudaMemcpyHostToDevice") && !has(items[3], "cudaMemcpyDefault"))) continue;
    const bool is_it = std::ranges::any_of(names, [&](const std::string& name) { return text_of(items[0]) == name || has(items[0], name); });
    if (!is_it) continue;
    for (const std::string& array : pointer_names(items[1], i)) {
      if (auto found = filling_of_array(array, scope_of(i), 0)) return found;
    }
  }
  if (auto found = memset_of(names)) return found;
  for (const std::string& name : names) {  // managed memory
    if (auto found = filling_of_array(name, scope_of(place), 0)) return found;
  }
  return std::nullopt;
}

// Looks for `name[i] = …` in a function, in others that it is passed to, and for vectors with a value.
std::optional<HostCode::Filling> HostCode::filling_of_array(const std::string& name, std::size_t scope, int depth) {
  if (depth > 3 || scope == kOutside) return std::nullopt;
  const Function& function = functions_[scope];
  for (std::size_t i = function.body; i + 3 < function.end; ++i) {
    if (tokens_[i] != name || tokens_[i - 1] == ".") continue;
    if (tokens_[i + 1] == "[") {
      const std::size_t close = closing_bracket(tokens_, i + 1);
      if (close + 2 >= function.end || tokens_[close + 1] != "=" || tokens_[close + 2] == "=") continue;
      std::size_t end = close + 2;
      while (end < function.end && tokens_[end] != ";") ++end;
      const std::string_view index = close == i + 3 ? tokens_[i + 2].text : std::string_view();
      return filling_of(tokens_.subspan(close + 2, end - close - 2), index, i);
    }
    if ((tokens_[i + 1] == "(" || tokens_[i + 1] == "{") && tokens_[i - 1] == ">") {  // std::vector<int> name(n, 1);
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      if (items.size() != 2) continue;
      if (auto value = filling_of(items[1], {}, i)) return value;
      continue;
    }
    for (std::size_t k = i, inner = 0; k-- > function.body && inner < 40 && tokens_[k] != ";" && tokens_[k] != "{"; ++inner) {
      if (tokens_[k] != "(" || k == 0 || !tokens_[k - 1].is_word()) continue;
      if (auto found = filling_by_call(name, k, depth)) return found;
      break;
    }
  }
  return std::nullopt;
}

// fill(name, n): the function's parameters are what this call passes.
std::optional<HostCode::Filling> HostCode::filling_by_call(const std::string& name, std::size_t open, int depth) {
  const auto called = std::ranges::find(functions_, tokens_[open - 1].text, &Function::name);
  if (called == functions_.end() || called->is_device) return std::nullopt;
  const auto scope = static_cast<std::size_t>(called - functions_.begin());
  const std::vector<Tokens> passed = split_list(tokens_, open), parameters = split_list(tokens_, called->parameters);
  std::string array;
  std::vector<std::string> added;
  for (std::size_t p = 0; p < passed.size() && p < parameters.size(); ++p) {
    if (parameters[p].empty() || passed[p].empty()) continue;
    std::string parameter(parameters[p].back().text);
    if (has(passed[p], name)) array = parameter;
    auto& all = definitions_[parameter];
    all.insert(all.begin(), Definition{scope, false, {passed[p]}, open});
    added.push_back(std::move(parameter));
  }
  auto found = array.empty() ? std::nullopt : filling_of_array(array, scope, depth + 1);
  for (const std::string& parameter : added) definitions_[parameter].erase(definitions_[parameter].begin());
  return found;
}

// rand() % n, rand() % n + 1, i * 8, i, 3
std::optional<HostCode::Filling> HostCode::filling_of(Tokens value, std::string_view index, std::size_t place) {
  while (value.size() > 2 && value[0] == "(") {  // casts and brackets around it
    const std::size_t close = closing_bracket(value, 0);
    if (close + 1 == value.size()) {
      value = value.subspan(1, close - 1);
    } else if (close < value.size() && (are_all(value.subspan(1, close - 1), kIntegerWords) || are_all(value.subspan(1, close - 1), kRealWords))) {
      value = value.subspan(close + 1);
    } else {
      break;
    }
  }
  int depth = 0;
  std::size_t modulo = value.size(), end = value.size(), plus = value.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == "(" || value[i] == "[") ++depth;
    if (value[i] == ")" || value[i] == "]") --depth;
    if (depth != 0) continue;
    if (value[i] == "%") modulo = i;
    if (modulo == value.size() && (value[i] == "+" || value[i] == "-")) plus = i;
    if (modulo < value.size() && end == value.size() && i > modulo && (value[i] == "+" || value[i] == "-")) end = i;
    if (modulo == value.size() && (value[i] == "/" || value[i] == "?")) return std::nullopt;
  }
  if (modulo < value.size()) {
    const auto count = translate(value.subspan(modulo + 1, end - modulo - 1), place);
    const auto rest = end < value.size() ? translate(value.subspan(end + 1), place) : std::optional(SizeTerm::number(0));
    if (!count || !rest || count->is_real() || rest->is_real()) return std::nullopt;
    const auto front = plus == value.size() ? std::optional(SizeTerm::number(0))
                       : value[plus] == "+" ? translate(value.first(plus), place)
                                            : std::nullopt;  // 1 + rand() % n
    if (!front || front->is_real()) return std::nullopt;
    const SizeTerm low = end < value.size() && value[end] == "-" ? front->minus(*rest) : front->plus(*rest);
    return Filling{Filling::Kind::range, low, low.plus(*count).minus(SizeTerm::number(1)), {}, false};
  }
  if (value.size() >= 3 && value[value.size() - 2] == "&" && has(value, "rand")) {
    const auto mask = integer_of(value.back());
    if (mask && ((*mask + 1) & *mask) == 0)
      return Filling{Filling::Kind::range, SizeTerm::number(0), SizeTerm::number(*mask), {}, false};
  }
  if (!index.empty() && value.size() == 1 && value[0] == index)
    return Filling{Filling::Kind::ramp, SizeTerm::number(0), SizeTerm::number(1), {}, false};
  if (!index.empty() && value.size() >= 3 && !has(value.subspan(2), index) && value[0] == index && value[1] == "*") {
    const auto step = translate(value.subspan(2), place);
    if (step) return Filling{Filling::Kind::ramp, SizeTerm::number(0), *step, {}, false};
  }
  const auto constant = has(value, "rand") ? std::nullopt : translate(value, place);
  if (constant && constant->constant()) return Filling{Filling::Kind::constant, *constant, {}, {}, false};
  return std::nullopt;
}

}  // namespace gktune
