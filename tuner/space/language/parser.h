#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/language/expression_node.h"
#include "tuner/space/language/lexer.h"

namespace gktune {

// A recursive-descent parser. Stops at the first error.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}
  Result<NodePtr, ExpressionError> parse();

 private:
  // Each returns null after an error.
  NodePtr conditional();
  NodePtr disjunction();
  NodePtr conjunction();
  NodePtr negation();
  NodePtr comparison();
  NodePtr arithmetic(int weakest);
  NodePtr sign();
  NodePtr power();
  NodePtr primary();
  NodePtr call(const ExpressionToken& function);
  NodePtr list();
  // Parses a list up to and including `close`. Returns nullopt after an error.
  std::optional<std::vector<NodePtr>> items(std::string_view close);
  std::optional<Operation> comparison_operator();

  NodePtr chain(NodePtr (Parser::*operand)(), std::string_view word, ExpressionNode::Kind kind);
  NodePtr apply(Operation operation, std::vector<NodePtr> operands, std::size_t offset);
  NodePtr finish(ExpressionNode node, std::size_t offset);
  NodePtr fail(std::string message, const ExpressionToken& at);
  NodePtr fail_expected(std::string_view what);

  void advance();
  bool take(std::string_view word);

  Lexer lexer_;
  ExpressionToken token_;
  std::size_t consumed_end_ = 0;  // the end of the last token that was taken
  int nesting_ = 0;
  std::optional<ExpressionError> error_;
};

}  // namespace gktune
