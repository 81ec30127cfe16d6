#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

// Error in an expression, and the part of its text at fault.
struct ExpressionError {
  std::string message;
  std::size_t offset = 0;
  std::size_t length = 1;
};

// The values of the names in an expression, in layers: the first layer that has a name gives its value.
// The values must outlive the scope.
class Scope {
 public:
  Scope& add(const NamedValues& values, std::string_view prefix = {});
  Scope& add(const Scope& scope);  // all of its layers
  const Value* find(std::string_view name) const;
  // Every name there is, prefixes included: what a misspelling is compared with.
  std::vector<std::string> names() const;

 private:
  struct Layer {
    std::string prefix;
    const NamedValues* values;
  };
  std::vector<Layer> layers_;
};

struct ExpressionNode;

// The language of constraints, geometry, extents and metrics. Python's precedence and meaning over 64-bit
// integers, doubles, booleans and strings; see docs/space-file.md.
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
  // The same with definitions put in for names. It keeps its text: what goes wrong inside a definition is
  // blamed on the name. An error when the definitions multiply beyond measure.
  Result<Expression, ExpressionError> inlined(const std::map<std::string, Expression>& definitions) const;
  const ExpressionNode& root() const { return *root_; }

 private:
  std::string text_;
  std::vector<NameUse> names_;
  std::shared_ptr<const ExpressionNode>
      root_;  // shared: immutable, and expressions are copied with their definitions
};

}  // namespace gktune
