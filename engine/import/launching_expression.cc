// The expressions of launching code, as terms of sizes and parameters.
#include <algorithm>
#include <cmath>
#include <regex>

#include "engine/import/launching_code.h"
#include "tuner/core/quantity.h"

namespace gktune {
namespace {

// 2.5f, 1e-3, .5
std::optional<SizeTerm> real_of(const Token& token) {
  if (token.kind != Token::Kind::number || token.text.starts_with("0x")) return std::nullopt;
  std::string digits(token.text);
  digits.resize(digits.find_last_not_of("fFlL") + 1);
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

bool are_all(Tokens tokens, std::initializer_list<std::string_view> words) {
  return !tokens.empty() &&
         std::ranges::all_of(tokens, [&](const Token& each) { return is_any_of(each.text, words); });
}

// Casts to an integer type (`unsigned int`) and to a real type (`const float`).
bool is_integer_cast(Tokens type) {
  return are_all(type, {"int", "unsigned", "signed", "long", "short", "char", "size_t", "int32_t", "uint32_t",
                        "int64_t", "uint64_t", "uint", "const"});
}
bool is_real_cast(Tokens type) { return are_all(type, {"float", "double", "real", "const"}); }

}  // namespace

std::optional<std::int64_t> integer_of(const Token& token) {
  if (token.kind != Token::Kind::number) return std::nullopt;
  std::string digits(token.text);
  std::erase(digits, '\'');
  digits.resize(digits.find_last_not_of("uUlLzZ") + 1);
  if (digits.find_first_of(".eE") != std::string::npos && !digits.starts_with("0x")) return std::nullopt;
  const auto value = parse_integer(digits);
  return value ? std::optional(*value) : std::nullopt;
}

bool declares_nothing(std::string_view word) {
  return is_any_of(word, {"return", "else", "goto", "case", "do", "delete", "new", "throw", "sizeof"});
}

Tokens without_condition(Tokens expression) {
  const auto is_input = [](Tokens part) {
    return has(part, "argv") || has(part, "argc") || has(part, "getenv");
  };
  int depth = 0;
  std::size_t question = expression.size();
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const Token& token = expression[i];
    if (token == "(" || token == "[" || token == "{") ++depth;
    if (token == ")" || token == "]" || token == "}") --depth;
    if (depth != 0) continue;
    if (token == "?" && question == expression.size()) question = i;
    const bool is_scope = token == ":" && ((i + 1 < expression.size() && expression[i + 1] == ":") ||
                                           (i > 0 && expression[i - 1] == ":"));
    if (token == ":" && !is_scope && question < expression.size()) {
      const Tokens first = expression.subspan(question + 1, i - question - 1),
                   second = expression.subspan(i + 1);
      return is_input(second) && !is_input(first) ? first : without_condition(second);
    }
  }
  return expression;
}

// Reads an expression at a place of the source.
struct LaunchingCode::Parser {
  LaunchingCode& code;
  Tokens tokens;
  std::size_t place;
  std::size_t at = 0;

  bool is(std::string_view text) const { return at < tokens.size() && tokens[at] == text; }
  bool is_pair(std::string_view text) const {
    return is(text) && at + 1 < tokens.size() && tokens[at + 1] == text;
  }

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
      left = sign == '*'   ? std::optional(left->times(*right))
             : sign == '/' ? left->divided_by(*right)
                           : left->remainder(*right);
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
      const auto name = code.literals.find(*value);
      return name == code.literals.end() ? SizeTerm::number(*value) : SizeTerm::atom(name->second, *value);
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
    return is_real_cast(type) ? value->as_real() : value->as_integer();
  }

  std::optional<SizeTerm> in_brackets() {
    const std::size_t close = closing_bracket(tokens, at);
    if (close == tokens.size()) return std::nullopt;
    const Tokens inner = tokens.subspan(at + 1, close - at - 1);
    const bool is_cast = is_integer_cast(inner) || is_real_cast(inner);
    at = close + 1;
    if (is_cast && at < tokens.size()) return cast(inner, primary());
    return code.translate(inner, place);
  }

  std::optional<SizeTerm> call(const Token& function) {
    const std::size_t open = at, close = closing_bracket(tokens, open);
    if (close == tokens.size()) return std::nullopt;
    at = close + 1;
    const std::vector<Tokens> items = split_list(tokens, open);
    if (function == "sizeof") return code.size_of(tokens.subspan(open + 1, close - open - 1), place);
    if (auto value = macro(function.text, items)) return value;
    static const std::regex kRoundUp(
        "(ceil_?div|div_?(round)?_?up|cdiv|i?div_?up|divide_?up|div_?ceil|updiv)", std::regex::icase);
    std::vector<SizeTerm> terms;
    for (const Tokens item : items) {
      auto term = code.translate(item, place);
      if (!term) return std::nullopt;
      terms.push_back(*std::move(term));
    }
    if (terms.size() == 1 && (function == "ceil" || function == "ceilf")) return terms[0].rounded_up();
    if (terms.size() == 1 && (function == "floor" || function == "floorf")) return terms[0].as_integer();
    const Tokens name(&function, 1);
    if (terms.size() == 1 && (is_integer_cast(name) || is_real_cast(name))) return cast(name, terms[0]);
    if (terms.size() != 2) return std::nullopt;
    if (std::regex_match(std::string(function.text), kRoundUp))
      return terms[0].as_real().divided_by(terms[1]).value_or(terms[0]).rounded_up();
    if (function != "min" && function != "max") return std::nullopt;
    const auto a = terms[0].constant(), b = terms[1].constant();
    if (a && b) return SizeTerm::number(function == "min" ? std::min(*a, *b) : std::max(*a, *b));
    return SizeTerm::atom(std::string(function.text) + "(" + terms[0].text() + ", " + terms[1].text() + ")");
  }

  // The value of a macro with these arguments. A macro is not expanded inside itself, and few levels are.
  std::optional<SizeTerm> macro(std::string_view word, const std::vector<Tokens>& arguments) {
    const auto found = code.macros_.find(word);
    if (found == code.macros_.end() || found->second.parameters.size() != arguments.size())
      return std::nullopt;
    constexpr std::size_t kLevels = 4, kMostTokens = 4096;
    if (code.expanded_.size() == kLevels || std::ranges::find(code.expanded_, word) != code.expanded_.end())
      return std::nullopt;
    std::vector<Token> expanded;
    for (const Token& token : found->second.value) {
      const auto parameter = std::ranges::find_if(found->second.parameters,
                                                  [&](Tokens each) { return text_of(each) == token.text; });
      if (parameter == found->second.parameters.end()) {
        expanded.push_back(token);
      } else {
        const Tokens argument =
            arguments[static_cast<std::size_t>(parameter - found->second.parameters.begin())];
        expanded.insert(expanded.end(), argument.begin(), argument.end());
      }
    }
    if (expanded.size() > kMostTokens) return std::nullopt;
    code.expanded_.push_back(word);
    auto value = code.translate(expanded, place);
    code.expanded_.pop_back();
    return value;
  }

  // block.x, options.rows
  std::optional<SizeTerm> member(std::string_view object) {
    if (at + 1 >= tokens.size()) return std::nullopt;
    const std::string_view word = tokens[at + 1].text;
    at += 2;
    if (word == "multiProcessorCount") return SizeTerm::atom("device.multiprocessors");
    const std::string full = std::string(object) + '.' + std::string(word);
    if (const auto alias = code.known.find(full); alias != code.known.end())
      return SizeTerm::atom(alias->second);
    const Definition* found = code.find(object, place);
    if (found == nullptr || !found->is_dim3) return name(word);
    const std::size_t axis = word == "x" ? 0 : word == "y" ? 1 : word == "z" ? 2 : 3;
    if (axis > 2) return std::nullopt;
    if (axis >= found->values.size()) return SizeTerm::number(1);
    return code.translate(found->values[axis], found->place);
  }

  std::optional<SizeTerm> name(std::string_view word) {
    if (const auto alias = code.known.find(word); alias != code.known.end())
      return SizeTerm::atom(alias->second);
    if (const auto value = code.definition(word, place)) return code.translate(value->tokens, value->place);
    const auto argument = code.template_argument(word, place);  // 4 of run<4>()
    const std::vector<Token> given = argument ? tokenize(argument->text) : std::vector<Token>();
    const auto number = given.size() == 1 ? integer_of(given[0]) : std::nullopt;
    return number ? std::optional(SizeTerm::number(*number)) : std::nullopt;
  }
};

std::optional<SizeTerm> LaunchingCode::translate(Tokens expression, std::size_t place) {
  if (depth_ == 0) steps_ = 0;
  if (depth_ >= kDeepest || ++steps_ > kMostSteps) return std::nullopt;
  ++depth_;
  auto term = Parser{*this, without_condition(expression), place}.all();
  --depth_;
  return term;
}

}  // namespace gktune
