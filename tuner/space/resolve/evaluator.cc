#include "tuner/space/resolve/evaluator.h"

#include <cmath>

#include "tuner/space/language/evaluate.h"

namespace gktune {
namespace {

struct IntegerBounds {
  std::int64_t low = 0;  // of the signed ones; 0 otherwise
  std::uint64_t high = 0;
};

IntegerBounds bounds_of(ElementType type) {
  const auto bits = static_cast<int>(element_size(part_type(type)) * 8);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  if (type >= ElementType::uint8) return {0, all};
  return {-static_cast<std::int64_t>(all >> 1) - 1, all >> 1};
}

}  // namespace

bool is_integer_type(ElementType type) { return type <= ElementType::uint64; }

bool fits(std::int64_t value, ElementType type) {
  const IntegerBounds bounds = bounds_of(type);
  return value >= bounds.low && (value < 0 || static_cast<std::uint64_t>(value) <= bounds.high);
}

void Evaluator::fail(std::string message) {
  if (!failure_) failure_ = Error{program_ + std::move(message)};
}

void Evaluator::fail(const std::string& where, const Expression& expression, const std::string& message) {
  fail(where + " '" + expression.text() + "': " + message);
}

Value Evaluator::value(const Expression& expression, const Scope& scope, const std::string& where) {
  auto result = expression.evaluate(scope);
  if (result) return *std::move(result);
  fail(where, expression, result.error().message);
  return {};
}

std::int64_t Evaluator::integer(const Expression& expression, const Scope& scope, const std::string& where) {
  const Value result = value(expression, scope, where);
  if (result.is_integer()) return result.integer();
  fail(where, expression,
       "expected an integer, this is " + result.str() + (result.is_real() ? " (// divides integers)" : ""));
  return 0;
}

std::int64_t Evaluator::extent(const Expression& expression, const Scope& scope, const std::string& where,
                               std::int64_t least, std::int64_t most) {
  const std::int64_t result = integer(expression, scope, where);
  if (result < least)
    fail(where, expression, std::to_string(result) + " is less than " + std::to_string(least));
  if (most > 0 && result > most)
    fail(where, expression, std::to_string(result) + " is more than the device's " + std::to_string(most));
  return result;
}

bool Evaluator::truth(const Expression& expression, const Scope& scope, const std::string& where) {
  const auto result = evaluate_truth(expression.root(), scope);
  if (result) return *result;
  fail(where, expression, result.error().message);
  return false;
}

double Evaluator::number(const Expression& expression, const Scope& scope, const std::string& where) {
  const Value result = value(expression, scope, where);
  if (result.is_number() && std::isfinite(result.number())) return result.number();
  fail(where, expression, "expected a number, this is " + result.str());
  return 0;
}

std::string Evaluator::text(const Pattern& pattern, const Scope& scope, const std::string& where) {
  auto result = pattern.format(scope);
  if (result) return *std::move(result);
  fail(where + " '" + pattern.text + "': " + result.error().message);
  return {};
}

ElementType Evaluator::element_type(const Pattern& pattern, const Scope& scope, const std::string& where) {
  const std::string name = text(pattern, scope, where + "type");
  const auto type = element_type_from_name(name);
  if (!type) fail(where + "'" + name + "' is no element type");
  return type.value_or(ElementType::float32);
}

Value Evaluator::scalar(const Expression& expression, ElementType type, const Scope& scope,
                        const std::string& where) {
  if (is_complex(type)) fail(where + ": a scalar cannot be complex; pass a struct of its two parts");
  Value result = value(expression, scope, where);
  if (result.is_boolean()) result = Value(result.boolean() ? 1 : 0);
  const std::string type_name(element_type_name(type));
  if (!is_integer_type(type)) {
    if (result.is_number()) return Value(result.number());
  } else if (result.is_integer()) {
    if (fits(result.integer(), type)) return result;
    fail(where, expression, result.str() + " does not fit in " + type_name);
  }
  fail(where, expression, result.str() + " is not of type " + type_name);
  return result;
}

}  // namespace gktune
