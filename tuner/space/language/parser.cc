#include "tuner/space/language/parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tuner/core/spelling.h"

namespace gktune {
namespace {

constexpr int kDeepestNesting = 200;

struct BinaryOperator {
  std::string_view symbol;
  Operation operation;
  int strength;
};
constexpr std::array<BinaryOperator, 6> kArithmetic = {{{"+", Operation::add, 1},
                                                        {"-", Operation::subtract, 1},
                                                        {"*", Operation::multiply, 2},
                                                        {"/", Operation::divide, 2},
                                                        {"//", Operation::floor_divide, 2},
                                                        {"%", Operation::modulo, 2}}};

struct Function {
  std::string_view name;
  Operation operation;
  std::size_t fewest, most;  // arguments
};
constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();
constexpr std::array<Function, 13> kFunctions = {{{"min", Operation::minimum, 1, kAnyNumber},
                                                  {"max", Operation::maximum, 1, kAnyNumber},
                                                  {"abs", Operation::absolute, 1, 1},
                                                  {"ceil_div", Operation::ceil_divide, 2, 2},
                                                  {"round_up", Operation::round_up, 2, 2},
                                                  {"log2", Operation::log2, 1, 1},
                                                  {"ilog2", Operation::integer_log2, 1, 1},
                                                  {"gcd", Operation::greatest_divisor, 2, 2},
                                                  {"int", Operation::to_integer, 1, 1},
                                                  {"float", Operation::to_real, 1, 1},
                                                  {"floor", Operation::floor, 1, 1},
                                                  {"ceil", Operation::ceiling, 1, 1},
                                                  {"sqrt", Operation::square_root, 1, 1}}};

std::string quoted(const ExpressionToken& token) {
  if (token.kind == ExpressionToken::Kind::end) return "the end";
  if (token.kind == ExpressionToken::Kind::value) return token.value.is_text() ? "a string" : "a value";
  return "'" + token.text + "'";
}

// Brackets, signs and negations: what the parser itself descends into.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(++depth) {}
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --depth_; }

 private:
  int& depth_;
};

}  // namespace

void Parser::advance() {
  consumed_end_ = token_.offset + token_.length;
  if (error_) return;
  auto next = lexer_.next();
  if (!next) {
    error_ = next.error();
    token_ = ExpressionToken();
    return;
  }
  token_ = std::move(*next);
}

bool Parser::take(std::string_view word) {
  if (error_ || !token_.is(word)) return false;
  advance();
  return true;
}

NodePtr Parser::fail(std::string message, const ExpressionToken& at) {
  if (!error_) error_ = ExpressionError{std::move(message), at.offset, std::max<std::size_t>(1, at.length)};
  return nullptr;
}

NodePtr Parser::fail_expected(std::string_view what) {
  return fail("expected " + std::string(what) + ", found " + quoted(token_), token_);
}

NodePtr Parser::finish(ExpressionNode node, std::size_t offset) {
  if (error_) return nullptr;
  node.offset = offset;
  node.length = consumed_end_ - offset;
  if (std::ranges::find(node.operands, nullptr) != node.operands.end()) return nullptr;
  const std::size_t length = node.length;
  NodePtr made = make_node(std::move(node));
  if (!made)
    error_ = ExpressionError{"this expression is too long", offset, std::max<std::size_t>(1, length)};
  return made;
}

NodePtr Parser::apply(Operation operation, std::vector<NodePtr> operands, std::size_t offset) {
  ExpressionNode node;
  node.kind = ExpressionNode::Kind::apply;
  node.operation = operation;
  node.operands = std::move(operands);
  return finish(std::move(node), offset);
}

Result<NodePtr, ExpressionError> Parser::parse() {
  advance();
  NodePtr root;
  if (!error_ && token_.kind == ExpressionToken::Kind::end) {
    fail("expected an expression, found nothing", token_);
  } else {
    root = conditional();
    if (!error_ && token_.kind != ExpressionToken::Kind::end) fail_expected("an operator");
  }
  if (error_) return *error_;
  return root;
}

NodePtr Parser::conditional() {
  const Nesting nesting(nesting_);
  if (nesting_ > kDeepestNesting) return fail("this is nested too deeply", token_);
  const std::size_t offset = token_.offset;
  NodePtr then = disjunction();
  if (!then || !take("if")) return error_ ? nullptr : then;
  NodePtr condition = disjunction();
  if (!condition) return nullptr;
  if (!take("else")) return fail_expected("'else'");
  NodePtr otherwise = conditional();
  ExpressionNode node;
  node.kind = ExpressionNode::Kind::conditional;
  node.operands = {std::move(condition), std::move(then), std::move(otherwise)};
  return finish(std::move(node), offset);
}

// operand, or: operand word operand word operand …
NodePtr Parser::chain(NodePtr (Parser::*operand)(), std::string_view word, ExpressionNode::Kind kind) {
  const std::size_t offset = token_.offset;
  NodePtr first = (this->*operand)();
  if (!first || !token_.is(word)) return first;
  ExpressionNode node;
  node.kind = kind;
  node.operands.push_back(std::move(first));
  while (take(word)) node.operands.push_back((this->*operand)());
  return finish(std::move(node), offset);
}

NodePtr Parser::disjunction() { return chain(&Parser::conjunction, "or", ExpressionNode::Kind::disjunction); }

NodePtr Parser::conjunction() { return chain(&Parser::negation, "and", ExpressionNode::Kind::conjunction); }

NodePtr Parser::negation() {
  const std::size_t offset = token_.offset;
  if (!token_.is("not")) return comparison();
  const Nesting nesting(nesting_);
  if (nesting_ > kDeepestNesting) return fail("this is nested too deeply", token_);
  advance();
  ExpressionNode node;
  node.kind = ExpressionNode::Kind::negation;
  node.operands.push_back(negation());
  return finish(std::move(node), offset);
}

std::optional<Operation> Parser::comparison_operator() {
  if (take("==")) return Operation::equal;
  if (take("!=")) return Operation::not_equal;
  if (take("<")) return Operation::less;
  if (take("<=")) return Operation::less_equal;
  if (take(">")) return Operation::greater;
  if (take(">=")) return Operation::greater_equal;
  if (take("in")) return Operation::contained;
  if (take("not")) {
    if (take("in")) return Operation::not_contained;
    fail_expected("'in'");
  }
  return std::nullopt;
}

NodePtr Parser::comparison() {
  const std::size_t offset = token_.offset;
  NodePtr first = arithmetic(1);
  if (!first) return nullptr;
  ExpressionNode node;
  node.kind = ExpressionNode::Kind::comparison;
  node.operands.push_back(first);
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

NodePtr Parser::arithmetic(int weakest) {
  const std::size_t offset = token_.offset;
  NodePtr left = sign();
  while (left) {
    const auto* found = std::ranges::find_if(
        kArithmetic, [&](const BinaryOperator& known) { return token_.is(known.symbol); });
    if (found == kArithmetic.end() || found->strength < weakest) break;
    advance();
    NodePtr right = arithmetic(found->strength + 1);
    left = apply(found->operation, {std::move(left), std::move(right)}, offset);
  }
  return error_ ? nullptr : left;
}

NodePtr Parser::sign() {
  if (!token_.is("-") && !token_.is("+")) return power();
  const Nesting nesting(nesting_);
  if (nesting_ > kDeepestNesting) return fail("this is nested too deeply", token_);
  const std::size_t offset = token_.offset;
  const Operation operation = token_.is("-") ? Operation::negate : Operation::identity;
  advance();
  NodePtr operand = sign();
  return apply(operation, {std::move(operand)}, offset);
}

// Binds tighter than a sign on its left, and less tightly than one on its right: -2 ** -2 is -(2 ** (-2)).
NodePtr Parser::power() {
  const std::size_t offset = token_.offset;
  NodePtr base = primary();
  if (!base || !take("**")) return error_ ? nullptr : base;
  const Nesting nesting(nesting_);
  if (nesting_ > kDeepestNesting) return fail("this is nested too deeply", token_);
  NodePtr exponent = sign();
  return apply(Operation::power, {std::move(base), std::move(exponent)}, offset);
}

NodePtr Parser::primary() {
  if (error_) return nullptr;
  const ExpressionToken token = token_;
  if (token.kind == ExpressionToken::Kind::value) {
    advance();
    ExpressionNode node;
    node.value = token.value;
    return finish(std::move(node), token.offset);
  }
  if (take("(")) {
    NodePtr inner = conditional();
    if (!inner) return nullptr;
    if (token_.is(",")) return fail("a list can only follow 'in'", token);
    if (!take(")")) return fail_expected("')'");
    return inner;
  }
  if (token.is("[")) return fail("a list can only follow 'in'", token);
  if (token.kind != ExpressionToken::Kind::name || is_keyword(token.text))
    return fail_expected("a value or a name");
  advance();
  if (token_.is("(")) return call(token);
  ExpressionNode node;
  node.kind = ExpressionNode::Kind::name;
  node.name = token.text;
  return finish(std::move(node), token.offset);
}

NodePtr Parser::call(const ExpressionToken& function) {
  const auto* known = std::ranges::find(kFunctions, function.text, &Function::name);
  if (known == kFunctions.end()) {
    std::vector<std::string> names;
    for (const Function& candidate : kFunctions) names.emplace_back(candidate.name);
    return fail("unknown function '" + function.text + "'" + did_you_mean(function.text, names), function);
  }
  advance();
  auto arguments = items(")");
  if (!arguments) return nullptr;
  if (arguments->size() < known->fewest || arguments->size() > known->most) {
    const std::string wanted = known->most == kAnyNumber ? "at least " : "";
    return fail("'" + function.text + "' takes " + wanted + std::to_string(known->fewest) +
                    (known->fewest == 1 ? " argument" : " arguments") + ", not " +
                    std::to_string(arguments->size()),
                function);
  }
  return apply(known->operation, std::move(*arguments), function.offset);
}

std::optional<std::vector<NodePtr>> Parser::items(std::string_view close) {
  std::vector<NodePtr> found;
  while (!take(close)) {
    if (!found.empty() && !take(",")) {
      fail_expected("',' or '" + std::string(close) + "'");
      return std::nullopt;
    }
    if (!found.empty() && take(close)) break;
    found.push_back(conditional());
    if (found.back() == nullptr) return std::nullopt;
  }
  if (error_) return std::nullopt;
  return found;
}

NodePtr Parser::list() {
  const std::size_t offset = token_.offset;
  const bool is_tuple = token_.is("(");
  if (!is_tuple && !token_.is("[")) return fail_expected("a list, such as [1, 2]");
  advance();
  auto found = items(is_tuple ? ")" : "]");
  if (!found) return nullptr;
  ExpressionNode node;
  node.kind = ExpressionNode::Kind::list;
  node.operands = std::move(*found);
  return finish(std::move(node), offset);
}

}  // namespace gktune
