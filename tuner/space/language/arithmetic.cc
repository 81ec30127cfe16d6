#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>

#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

using Outcome = Result<Value, ArithmeticFailure>;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr double kTwoTo63 = 9223372036854775808.0;

ArithmeticFailure overflow() { return {"the result does not fit in 64 bits", ArithmeticFailure::kWhole}; }
ArithmeticFailure by_zero() { return {"division by zero", 1}; }

bool is_numeric(const Value& value) { return !value.is_text(); }
bool is_whole(const Value& value) { return value.is_boolean() || value.is_integer(); }
std::int64_t whole(const Value& value) { return value.is_boolean() ? value.boolean() : value.integer(); }
double number(const Value& value) {
  return is_whole(value) ? static_cast<double>(whole(value)) : value.real();
}

Outcome whole_from(double value) {
  if (std::isnan(value)) return ArithmeticFailure{"NaN has no integer value", 0};
  if (value < -kTwoTo63 || value >= kTwoTo63) return overflow();
  return Value(static_cast<std::int64_t>(value));
}

Outcome raise(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0;) {
    if ((left & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return overflow();
    left >>= 1;
    if (left != 0 && __builtin_mul_overflow(base, base, &base)) return overflow();
  }
  return Value(result);
}

Outcome raise(double base, double exponent) {
  if (base == 0 && exponent < 0) return ArithmeticFailure{"zero to a negative power", 1};
  if (base < 0 && std::isfinite(exponent) && exponent != std::floor(exponent)) {
    return ArithmeticFailure{"a negative number to a power that is not whole", 0};
  }
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) {
    return ArithmeticFailure{"the result does not fit in a double", ArithmeticFailure::kWhole};
  }
  return Value(result);
}

double real_floor_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double real_floor_divide(double a, double b) {
  const double quotient = (a - real_floor_modulo(a, b)) / b;
  const double below = std::floor(quotient);
  return quotient - below > 0.5 ? below + 1 : below;
}

std::partial_ordering compare_exactly(std::int64_t integer, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= kTwoTo63) return std::partial_ordering::less;
  if (real < -kTwoTo63) return std::partial_ordering::greater;
  const double below = std::floor(real);
  const auto whole_part = static_cast<std::int64_t>(below);
  if (integer != whole_part) return integer <=> whole_part;
  return below < real ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

// Integers that no double holds are divided with more digits first.
double true_divide(std::int64_t a, std::int64_t b) {
  return static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b));
}

// Operations that yield an integer of two integers. `b` is unused by those that take one.
Outcome calculate_whole(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Operation::add:
      if (__builtin_add_overflow(a, b, &result)) return overflow();
      return Value(result);
    case Operation::subtract:
      if (__builtin_sub_overflow(a, b, &result)) return overflow();
      return Value(result);
    case Operation::multiply:
      if (__builtin_mul_overflow(a, b, &result)) return overflow();
      return Value(result);
    case Operation::divide:
      if (b == 0) return by_zero();
      return Value(true_divide(a, b));
    case Operation::floor_divide:
      if (b == 0) return by_zero();
      if (a == kLeast && b == -1) return overflow();
      return Value(floor_divide(a, b));
    case Operation::modulo:
      if (b == 0) return by_zero();
      return Value(b == -1 ? 0 : floor_modulo(a, b));
    case Operation::power:
      return b < 0 ? raise(static_cast<double>(a), static_cast<double>(b)) : raise(a, b);
    case Operation::negate:
      if (a == kLeast) return overflow();
      return Value(-a);
    case Operation::absolute:
      if (a == kLeast) return overflow();
      return Value(a < 0 ? -a : a);
    default:
      return Value(a);  // identity, floor, ceiling, to_integer
  }
}

Outcome calculate_real(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return Value(a + b);
    case Operation::subtract:
      return Value(a - b);
    case Operation::multiply:
      return Value(a * b);
    case Operation::divide:
      if (b == 0) return by_zero();
      return Value(a / b);
    case Operation::floor_divide:
      if (b == 0) return by_zero();
      return Value(real_floor_divide(a, b));
    case Operation::modulo:
      if (b == 0) return by_zero();
      return Value(real_floor_modulo(a, b));
    case Operation::power:
      return raise(a, b);
    case Operation::negate:
      return Value(-a);
    case Operation::absolute:
      return Value(std::fabs(a));
    case Operation::floor:
      return whole_from(std::floor(a));
    case Operation::ceiling:
      return whole_from(std::ceil(a));
    case Operation::to_integer:
      return whole_from(std::trunc(a));
    default:
      return Value(a);  // identity
  }
}

// ceil_div, round_up, gcd and ilog2: for integers alone.
Outcome calculate_integers_only(Operation operation, std::span<const Value> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_whole(operands[i])) {
      return ArithmeticFailure{
          "expected an integer, found " + operands[i].str() + " (// divides to an integer)",
          static_cast<int>(i)};
    }
  }
  const std::int64_t a = whole(operands[0]);
  if (operation == Operation::integer_log2) {
    if (a <= 0) return ArithmeticFailure{"only a positive number has a logarithm", 0};
    return Value(std::bit_width(static_cast<std::uint64_t>(a)) - 1);
  }
  const std::int64_t b = whole(operands[1]);
  if (operation == Operation::greatest_divisor) {
    if (a == kLeast || b == kLeast) return overflow();
    return Value(std::gcd(a, b));
  }
  if (b == 0) return by_zero();
  if (a == kLeast && b == -1) return overflow();
  const std::int64_t quotient = floor_divide(a, b);
  const std::int64_t rounded = quotient + (quotient * b != a ? 1 : 0);
  if (operation == Operation::ceil_divide) return Value(rounded);
  return calculate_whole(Operation::multiply, rounded, b);
}

Outcome calculate_extreme(Operation operation, std::span<const Value> operands) {
  const Operation better = operation == Operation::minimum ? Operation::less : Operation::greater;
  std::size_t best = 0;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const auto is_better = GKTUNE_TRY(compare(better, operands[i], operands[best]));
    if (is_better) best = i;
  }
  return operands[best];
}

std::string_view kind_name(const Value& value) { return value.is_text() ? "a string" : "a number"; }

bool holds(Operation operation, std::partial_ordering order) {
  if (operation == Operation::equal) return order == 0;
  if (operation == Operation::not_equal) return order != 0;
  if (operation == Operation::less) return order < 0;
  if (operation == Operation::less_equal) return order <= 0;
  return operation == Operation::greater ? order > 0 : order >= 0;
}

}  // namespace

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - (quotient * b != a && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Result<Value, ArithmeticFailure> calculate(Operation operation, std::span<const Value> operands) {
  if (operation == Operation::minimum || operation == Operation::maximum) {
    return calculate_extreme(operation, operands);
  }
  bool all_whole = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_numeric(operands[i])) {
      return ArithmeticFailure{"expected a number, found the string \"" + operands[i].text() + "\"",
                               static_cast<int>(i)};
    }
    all_whole = all_whole && is_whole(operands[i]);
  }
  switch (operation) {
    case Operation::ceil_divide:
    case Operation::round_up:
    case Operation::greatest_divisor:
    case Operation::integer_log2:
      return calculate_integers_only(operation, operands);
    case Operation::to_real:
      return Value(number(operands[0]));
    case Operation::log2:
      if (!(number(operands[0]) > 0)) {
        return ArithmeticFailure{"only a positive number has a logarithm", 0};
      }
      return Value(std::log2(number(operands[0])));
    case Operation::square_root:
      if (!(number(operands[0]) >= 0)) return ArithmeticFailure{"a negative number has no square root", 0};
      return Value(std::sqrt(number(operands[0])));
    default:
      break;
  }
  const bool is_unary = operands.size() == 1;
  if (all_whole) return calculate_whole(operation, whole(operands[0]), is_unary ? 0 : whole(operands[1]));
  return calculate_real(operation, number(operands[0]), is_unary ? 0 : number(operands[1]));
}

Result<bool, ArithmeticFailure> compare(Operation operation, const Value& left, const Value& right) {
  if (left.is_text() != right.is_text()) {
    return ArithmeticFailure{
        "cannot compare " + std::string(kind_name(left)) + " with " + std::string(kind_name(right)),
        ArithmeticFailure::kWhole};
  }
  if (left.is_text()) return holds(operation, left.text().compare(right.text()) <=> 0);
  if (is_whole(left) && is_whole(right)) return holds(operation, whole(left) <=> whole(right));
  if (is_whole(left)) return holds(operation, compare_exactly(whole(left), right.real()));
  if (is_whole(right)) {
    return holds(operation, 0 <=> compare_exactly(whole(right), left.real()));
  }
  return holds(operation, left.real() <=> right.real());
}

Result<bool, ArithmeticFailure> truth(const Value& value) {
  if (value.is_text())
    return ArithmeticFailure{"expected true or false, found the string \"" + value.text() + "\"", 0};
  return is_whole(value) ? whole(value) != 0 : value.real() != 0;
}

}  // namespace gktune
