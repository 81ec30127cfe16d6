#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gktune/element_type.h"
#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/language/pattern.h"

namespace gktune {

bool is_integer_type(ElementType type);
// True if an integer type has this value.
bool fits(std::int64_t value, ElementType type);

// Evaluates the expressions of a plan. Keeps the first failure only; discard the values after it. `where`
// names the place of an expression in messages.
class Evaluator {
 public:
  Value value(const Expression& expression, const Scope& scope, const std::string& where);
  std::int64_t integer(const Expression& expression, const Scope& scope, const std::string& where);
  // An integer that is not below `least`, nor above `most` if that is positive.
  std::int64_t extent(const Expression& expression, const Scope& scope, const std::string& where,
                      std::int64_t least, std::int64_t most = 0);
  bool truth(const Expression& expression, const Scope& scope, const std::string& where);
  // A finite number.
  double number(const Expression& expression, const Scope& scope, const std::string& where);
  std::string text(const Pattern& pattern, const Scope& scope, const std::string& where);
  ElementType element_type(const Pattern& pattern, const Scope& scope, const std::string& where);
  // An integer for integer types, a real for the others.
  Value scalar(const Expression& expression, ElementType type, const Scope& scope, const std::string& where);

  void fail(std::string message);
  void fail(const std::string& where, const Expression& expression, const std::string& message);
  const std::optional<Error>& failure() const { return failure_; }
  // The program that is planned next; messages begin with it.
  void set_program(std::string program) { program_ = std::move(program); }

 private:
  std::string program_;
  std::optional<Error> failure_;
};

}  // namespace gktune
