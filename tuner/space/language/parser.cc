// From the text of an expression to its tree.

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

constexpr int kDeepestNesting = 200;
constexpr std::array<std::string_view, 6> kKeywords = {"and", "or", "not", "in", "if", "else"};
constexpr std::array<std::string_view, 4> kTruths = {"true", "True", "false", "False"};
// The longest first.
constexpr std::array<std::string_view, 23> kSymbols = {"**", "//", "<=", ">=", "==", "!=", "(", ")",
                                                       "[",  "]",  ",",  "+",  "-",  "*",  "/", "%",
                                                       "<",  ">",  "&&", "||", "!",  "=",  "^"};

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

// Advice on operators of other languages.
std::string_view advice(std::string_view symbol) {
  if (symbol == "&&") return "unknown operator '&&'; write 'and'";
  if (symbol == "||") return "unknown operator '||'; write 'or'";
  if (symbol == "!") return "unknown operator '!'; write 'not'";
  if (symbol == "=") return "unknown operator '='; write '==' to compare";
  if (symbol == "^") return "unknown operator '^'; write '**' for a power";
  return {};
}

std::string shown(char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return {'\'', c, '\''};
  return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

std::span<const std::string_view> function_names() {
  return enum_names(Operation{}).subspan(static_cast<std::size_t>(kFirstFunction));
}

struct ExpressionToken {
  enum class Kind { end, name, value, symbol };
  Kind kind = Kind::end;
  std::size_t offset = 0, length = 0;
  std::string text = {};  // a name, a keyword or a symbol
  Value value = {};       // a literal

  bool is(std::string_view word) const { return kind != Kind::end && kind != Kind::value && text == word; }
  std::string quoted() const {
    if (kind == Kind::end) return "the end";
    if (kind == Kind::value) return value.is_text() ? "a string" : "a value";
    return "'" + text + "'";
  }
};

class ExpressionLexer {
 public:
  using Lexed = Result<ExpressionToken, ExpressionError>;

  explicit ExpressionLexer(std::string_view text) : text_(text) {}

  Lexed next() {
    at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size());
    start_ = at_;
    if (at_ == text_.size()) return ExpressionToken{.offset = at_};
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (is_letter(peek())) return name();
    if (peek() == '"' || peek() == '\'') return literal();
    return symbol();
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string_view read() const { return text_.substr(start_, at_ - start_); }
  ExpressionError error(std::string message) const {
    return {std::move(message), start_, std::max<std::size_t>(1, at_ - start_)};
  }
  ExpressionToken word(ExpressionToken::Kind kind) const {
    return {kind, start_, at_ - start_, std::string(read())};
  }
  ExpressionToken value(Value value) const {
    return {ExpressionToken::Kind::value, start_, at_ - start_, {}, std::move(value)};
  }

  Lexed number() {
    const bool is_decimal = !is_letter(peek(1)) || peek(1) == 'e' || peek(1) == 'E';
    while (is_word(peek()) || peek() == '.') {
      const bool is_exponent = is_decimal && (peek() == 'e' || peek() == 'E');
      ++at_;
      if (is_exponent && (peek() == '+' || peek() == '-') && is_digit(peek(1))) ++at_;
    }
    auto number = parse_number(read());
    if (!number) return error(number.error().message);
    return value(*std::move(number));
  }

  Lexed literal() {
    const char quote = peek();
    std::string content;
    for (++at_; at_ < text_.size() && peek() != quote; ++at_) {
      if (peek() == '\\') {
        const char escaped = peek(1);
        if (escaped != '\\' && escaped != '\'' && escaped != '"') {
          start_ = at_;
          at_ = std::min(at_ + 2, text_.size());
          return error("only a quote or a backslash can follow a backslash");
        }
        ++at_;
      }
      content += peek();
    }
    if (at_ == text_.size()) return error("this string is not closed");
    ++at_;
    return value(std::move(content));
  }

  Lexed name() {
    while (is_word(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
    if (is_among(read(), kTruths)) return value(read() == "true" || read() == "True");
    return word(ExpressionToken::Kind::name);
  }

  Lexed symbol() {
    const auto* known = std::ranges::find_if(
        kSymbols, [&](std::string_view symbol) { return text_.substr(at_).starts_with(symbol); });
    at_ += known == kSymbols.end() ? 1 : known->size();
    if (known == kSymbols.end()) return error("unexpected " + shown(text_[start_]));
    if (const auto words = advice(*known); !words.empty()) return error(std::string(words));
    return word(ExpressionToken::Kind::symbol);
  }

  std::string_view text_;
  std::size_t at_ = 0, start_ = 0;  // the next byte, and the first one of the token
};

// A recursive-descent parser. Stops at the first error.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<NodePtr, ExpressionError> parse() {
    advance();
    NodePtr root;
    if (!error_ && token_.kind == ExpressionToken::Kind::end) {
      fail("expected an expression, found nothing", token_);
    } else {
      root = nested(&Parser::conditional);
      if (!error_ && token_.kind != ExpressionToken::Kind::end) fail_expected("an operator");
    }
    if (error_) return *error_;
    return root;
  }

 private:
  using Kind = ExpressionNode::Kind;

  void advance() {
    consumed_end_ = token_.offset + token_.length;
    if (error_) return;
    auto next = lexer_.next();
    token_ = next ? std::move(*next) : ExpressionToken();
    if (!next) error_ = next.error();
  }

  bool take(std::string_view word) {
    if (error_ || !token_.is(word)) return false;
    advance();
    return true;
  }

  // These and the functions below return null after an error.
  NodePtr fail(std::string message, const ExpressionToken& at) {
    if (!error_) error_ = ExpressionError{std::move(message), at.offset, std::max<std::size_t>(1, at.length)};
    return nullptr;
  }
  NodePtr fail_expected(std::string_view what) {
    return fail("expected " + std::string(what) + ", found " + token_.quoted(), token_);
  }

  // Limits the depth of brackets, signs and negations, which the parser descends into.
  NodePtr nested(NodePtr (Parser::*rule)()) {
    if (nesting_ == kDeepestNesting) return fail("this is nested too deeply", token_);
    ++nesting_;
    NodePtr node = (this->*rule)();
    --nesting_;
    return node;
  }

  NodePtr finish(ExpressionNode node, std::size_t offset) {
    if (error_) return nullptr;
    const std::size_t length = consumed_end_ - offset;
    node.offset = offset;
    node.length = length;
    if (std::ranges::find(node.operands, nullptr) != node.operands.end()) return nullptr;
    NodePtr made = make_node(std::move(node));
    if (!made)
      error_ = ExpressionError{"this expression is too long", offset, std::max<std::size_t>(1, length)};
    return made;
  }
  NodePtr finish(Kind kind, std::vector<NodePtr> operands, std::size_t offset) {
    return finish({.kind = kind, .operands = std::move(operands)}, offset);
  }
  NodePtr apply(Operation operation, std::vector<NodePtr> operands, std::size_t offset) {
    return finish({.kind = Kind::apply, .operation = operation, .operands = std::move(operands)}, offset);
  }

  NodePtr conditional() {
    const std::size_t offset = token_.offset;
    NodePtr then = disjunction();
    if (!then || !take("if")) return error_ ? nullptr : then;
    NodePtr condition = disjunction();
    if (!condition) return nullptr;
    if (!take("else")) return fail_expected("'else'");
    NodePtr otherwise = nested(&Parser::conditional);
    return finish(Kind::conditional, {std::move(condition), std::move(then), std::move(otherwise)}, offset);
  }

  // operand, or: operand word operand word operand …
  NodePtr chain(NodePtr (Parser::*operand)(), std::string_view word, Kind kind) {
    const std::size_t offset = token_.offset;
    NodePtr first = (this->*operand)();
    if (!first || !token_.is(word)) return first;
    std::vector<NodePtr> operands = {std::move(first)};
    while (take(word)) operands.push_back((this->*operand)());
    return finish(kind, std::move(operands), offset);
  }
  NodePtr disjunction() { return chain(&Parser::conjunction, "or", Kind::disjunction); }
  NodePtr conjunction() { return chain(&Parser::negation, "and", Kind::conjunction); }

  NodePtr negation() {
    const std::size_t offset = token_.offset;
    if (!token_.is("not")) return comparison();
    advance();
    NodePtr operand = nested(&Parser::negation);
    return finish(Kind::negation, {std::move(operand)}, offset);
  }

  std::optional<Operation> comparison_operator() {
    if (error_) return std::nullopt;
    if (take("not")) {
      if (take("in")) return Operation::not_contained;
      fail_expected("'in'");
      return std::nullopt;
    }
    const auto operation = enum_from_name<Operation>(token_.text);
    if (!operation || *operation < Operation::equal || *operation > Operation::contained) return std::nullopt;
    advance();
    return operation;
  }

  NodePtr comparison() {
    const std::size_t offset = token_.offset;
    NodePtr first = arithmetic(1);
    if (!first) return nullptr;
    ExpressionNode node{.kind = Kind::comparison, .operands = {first}};
    bool after_list = false;
    for (ExpressionToken at = token_; auto operation = comparison_operator(); at = token_) {
      if (after_list) return fail("a list cannot be compared", at);
      after_list = *operation == Operation::contained || *operation == Operation::not_contained;
      node.comparisons.push_back(*operation);
      node.operands.push_back(after_list ? list() : arithmetic(1));
      if (node.operands.back() == nullptr) return nullptr;
    }
    if (node.comparisons.empty()) return error_ ? nullptr : first;
    return finish(std::move(node), offset);
  }

  NodePtr arithmetic(int weakest) {
    const std::size_t offset = token_.offset;
    NodePtr left = sign();
    while (left) {
      const auto operation = enum_from_name<Operation>(token_.text);
      if (!operation || *operation > Operation::modulo) break;
      const int strength = *operation <= Operation::subtract ? 1 : 2;
      if (strength < weakest) break;
      advance();
      NodePtr right = arithmetic(strength + 1);
      left = apply(*operation, {std::move(left), std::move(right)}, offset);
    }
    return error_ ? nullptr : left;
  }

  NodePtr sign() {
    if (!token_.is("-") && !token_.is("+")) return power();
    const std::size_t offset = token_.offset;
    const Operation operation = token_.is("-") ? Operation::negate : Operation::identity;
    advance();
    NodePtr operand = nested(&Parser::sign);
    return apply(operation, {std::move(operand)}, offset);
  }

  // Binds tighter than a sign on its left, and less tightly than one on its right: -2 ** -2 is -(2 ** (-2)).
  NodePtr power() {
    const std::size_t offset = token_.offset;
    NodePtr base = primary();
    if (!base || !take("**")) return error_ ? nullptr : base;
    NodePtr exponent = nested(&Parser::sign);
    return apply(Operation::power, {std::move(base), std::move(exponent)}, offset);
  }

  NodePtr primary() {
    if (error_) return nullptr;
    const ExpressionToken token = token_;
    if (token.kind == ExpressionToken::Kind::value) {
      advance();
      return finish({.value = token.value}, token.offset);
    }
    if (take("(")) {
      NodePtr inner = nested(&Parser::conditional);
      if (!inner) return nullptr;
      if (token_.is(",")) return fail("a list can only follow 'in'", token);
      if (!take(")")) return fail_expected("')'");
      return inner;
    }
    if (token.is("[")) return fail("a list can only follow 'in'", token);
    if (token.kind != ExpressionToken::Kind::name || is_among(token.text, kKeywords))
      return fail_expected("a value or a name");
    advance();
    if (token_.is("(")) return call(token);
    return finish({.kind = Kind::name, .name = token.text}, token.offset);
  }

  NodePtr call(const ExpressionToken& function) {
    const auto names = function_names();
    const auto operation = enum_from_name<Operation>(function.text);
    if (!operation || *operation < kFirstFunction) {
      const std::vector<std::string> known(names.begin(), names.end());
      return fail("unknown function '" + function.text + "'" + did_you_mean(function.text, known), function);
    }
    advance();
    auto arguments = items(")");
    if (!arguments) return nullptr;
    const bool takes_any = *operation == Operation::minimum || *operation == Operation::maximum;
    const bool takes_two = *operation == Operation::ceil_divide || *operation == Operation::round_up ||
                           *operation == Operation::greatest_divisor;
    const std::size_t fewest = takes_two ? 2 : 1;
    if (arguments->size() < fewest || (arguments->size() > fewest && !takes_any)) {
      return fail("'" + function.text + "' takes " + (takes_any ? "at least " : "") + std::to_string(fewest) +
                      (fewest == 1 ? " argument" : " arguments") + ", not " +
                      std::to_string(arguments->size()),
                  function);
    }
    return apply(*operation, std::move(*arguments), function.offset);
  }

  // Parses a list up to and including `close`. Returns nullopt after an error.
  std::optional<std::vector<NodePtr>> items(std::string_view close) {
    std::vector<NodePtr> found;
    while (!take(close)) {
      if (!found.empty() && !take(",")) {
        fail_expected("',' or '" + std::string(close) + "'");
        return std::nullopt;
      }
      if (!found.empty() && take(close)) break;
      found.push_back(nested(&Parser::conditional));
      if (found.back() == nullptr) return std::nullopt;
    }
    if (error_) return std::nullopt;
    return found;
  }

  NodePtr list() {
    const std::size_t offset = token_.offset;
    const bool is_tuple = token_.is("(");
    if (!is_tuple && !token_.is("[")) return fail_expected("a list, such as [1, 2]");
    advance();
    auto found = items(is_tuple ? ")" : "]");
    if (!found) return nullptr;
    return finish(Kind::list, std::move(*found), offset);
  }

  ExpressionLexer lexer_;
  ExpressionToken token_;
  std::size_t consumed_end_ = 0;  // the end of the last token that was taken
  int nesting_ = 0;
  std::optional<ExpressionError> error_;
};

}  // namespace

bool is_expression_word(std::string_view word) {
  const auto functions = function_names();
  return is_among(word, kKeywords) || is_among(word, kTruths) || word == "device" ||
         std::ranges::find(functions, word) != functions.end();
}

Result<NodePtr, ExpressionError> parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace gktune
