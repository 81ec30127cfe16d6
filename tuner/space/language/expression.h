#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"

namespace gktune {

// An error in an expression, and the part of the text at fault.
struct ExpressionError {
  std::string message;
  std::size_t offset = 0;
  std::size_t length = 1;
};

// The values of names, in layers. The first layer that has a name gives its value. The
// values must outlive the scope.
class Scope {
 public:
  Scope& add(const NamedValues& values, std::string_view prefix = {});
  Scope& add(const Scope& scope);  // adds all layers
  const Value* find(std::string_view name) const;
  // All names, with prefixes. Spelling suggestions come from them.
  std::vector<std::string> names() const;

 private:
  struct Layer {
    std::string prefix;
    const NamedValues* values;
  };
  std::vector<Layer> layers_;
};

struct ExpressionNode;

// An expression of a constraint, geometry, extent or metric. Operators have Python's precedence and meaning,
// on 64-bit integers, doubles, booleans and strings; see docs/space-file.md.
class Expression {
 public:
  struct NameUse {
    std::string name;
    std::size_t offset;
  };

  static Result<Expression, ExpressionError> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // Every use of a name, in the order of the text.
  const std::vector<NameUse>& names() const { return names_; }
  Result<Value, ExpressionError> evaluate(const Scope& scope) const;
  // The expression with names replaced by their definitions. It keeps its text, so an error inside a
  // definition points at the name. An error if the result is too large.
  Result<Expression, ExpressionError> inlined(const std::map<std::string, Expression>& definitions) const;
  const ExpressionNode& root() const { return *root_; }

 private:
  std::string text_;
  std::vector<NameUse> names_;
  std::shared_ptr<const ExpressionNode> root_;  // immutable, so that copies can share it
};

}  // namespace gktune
