#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/space/resolve/parts.h"

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

constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

std::string name_of(ElementType type) { return std::string(element_type_name(type)); }

// The seed depends on the name only, so that other arguments do not change the data.
std::uint64_t seed_of(std::string_view name) {
  std::uint64_t seed = 0xcbf29ce484222325;
  for (char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return seed;
}

class ArgumentResolver {
 public:
  ArgumentResolver(const KernelDefinition& kernel, Evaluator& evaluator)
      : kernel_(kernel), evaluator_(evaluator) {}

  ArgumentPlan resolve(const Argument& argument) {
    const std::string where = "argument '" + argument.name + "': ";
    ArgumentPlan plan;
    plan.name = argument.name;
    plan.type = evaluator_.element_type(argument.type, where);
    plan.role = argument.role;
    if (argument.value) {
      plan.is_scalar = true;
      plan.scalar = evaluator_.scalar(*argument.value, plan.type, where + "value");
      return plan;
    }
    const std::int64_t extent = evaluator_.integer(*argument.extent, where + "extent");
    if (extent < 0)
      evaluator_.fail(where + "extent", *argument.extent, std::to_string(extent) + " is negative");
    if (extent > kMostBytes / static_cast<std::int64_t>(element_size(plan.type))) {
      evaluator_.fail(where + "extent", *argument.extent, "too many elements for any memory");
    }
    plan.count = static_cast<std::uint64_t>(extent);
    plan.contents = contents(argument, plan.type, plan.count, where + "init");
    for (const Contents& named : argument.others) {
      Argument other = argument;
      other.contents = named;
      plan.others.push_back(contents(other, plan.type, plan.count, "check: inputs: " + argument.name));
    }
    if (argument.check) {
      plan.is_checked = true;
      plan.tolerance = tolerance(*argument.check, where);
      if (is_complex(plan.type) && argument.check->ulp)
        evaluator_.fail(
            where +
            "ulp: complex numbers are compared by the magnitude of their difference: use absolute or "
            "relative");
      if (is_complex(plan.type) && argument.check->any_order)
        evaluator_.fail(where + "order: complex numbers have none");
    }
    return plan;
  }

 private:
  ContentsPlan contents(const Argument& argument, ElementType type, std::uint64_t count,
                        const std::string& where) {
    const Contents& contents = argument.contents;
    ContentsPlan plan;
    plan.kind = contents.kind;
    plan.is_computed = contents.is_computed;
    const bool needs_integers = contents.kind == Contents::Kind::permutation ||
                                contents.kind == Contents::Kind::zipf ||
                                contents.kind >= Contents::Kind::csr_offsets;
    const bool needs_order = contents.kind == Contents::Kind::ramp ||
                             contents.kind == Contents::Kind::sorted ||
                             contents.kind == Contents::Kind::field;
    if (needs_order && is_complex(type))
      evaluator_.fail(where + ": complex elements are zero, constant, uniform, normal or from a file");
    if (needs_integers && !is_integer_type(type)) {
      evaluator_.fail(where + ": these contents are integers, the elements are " + name_of(type));
    }
    if (contents.kind >= Contents::Kind::zipf) {
      structured(argument, type, count, plan, where);
    } else if (contents.a) {
      read_number(*contents.a, where, contents.kind, type, Range::of_the_type, plan.a, plan.a_integer);
    }
    // A step may be negative, even for unsigned elements.
    const Range of_b = contents.kind == Contents::Kind::ramp ? Range::any : Range::of_the_type;
    if (contents.b && contents.kind < Contents::Kind::zipf)
      read_number(*contents.b, where, contents.kind, type, of_b, plan.b, plan.b_integer);
    const bool is_sorted = contents.kind == Contents::Kind::sorted;
    if ((contents.kind == Contents::Kind::uniform || is_sorted) && plan.a > plan.b) {
      evaluator_.fail(where + (is_sorted ? " sorted" : " uniform") + ": the low bound " + contents.a->text() +
                      " is above the high one " + contents.b->text());
    }
    if (contents.kind == Contents::Kind::normal && plan.b < 0) {
      evaluator_.fail(where, *contents.b, "a deviation cannot be negative");
    }
    if (contents.kind == Contents::Kind::file) {
      plan.file = evaluator_.text(contents.file, where);
    }
    if (is_random(contents.kind)) {
      plan.seed = seed(argument, where + " seed");
    }
    return plan;
  }

  enum class Range { of_the_type, any };
  void read_number(const Expression& expression, const std::string& where, ContentsKind kind,
                   ElementType type, Range range, double& real, std::int64_t& exact) {
    // Equal elements may be infinite or NaN.
    const bool may_be_special = !is_integer_type(type) && kind == Contents::Kind::constant;
    real = may_be_special ? evaluator_.real(expression, where) : evaluator_.number(expression, where);
    // Moments of integers and the bounds of a field need not be integers.
    if (!is_integer_type(type) || kind == Contents::Kind::normal || kind == Contents::Kind::field) return;
    const Value whole = evaluator_.value(expression, where);
    if (whole.is_integer()) {
      exact = whole.integer();
    } else if (real == std::floor(real) && std::abs(real) < 0x1p53) {
      exact = static_cast<std::int64_t>(real);
    } else {
      evaluator_.fail(where, expression, whole.str() + " is no integer, the elements are");
    }
    if (range == Range::of_the_type && !fits(exact, type))
      evaluator_.fail(where, expression, whole.str() + " does not fit in " + name_of(type));
  }

  // zipf, field, csr_offsets, csr_columns
  void structured(const Argument& argument, ElementType type, std::uint64_t count, ContentsPlan& plan,
                  const std::string& where) {
    const Contents& contents = argument.contents;
    if (contents.kind == Contents::Kind::zipf) {
      plan.a_integer = evaluator_.integer(*contents.a, where + " zipf");
      plan.b = evaluator_.number(*contents.b, where + " zipf");
      constexpr std::int64_t kMostValues = std::int64_t{1} << 28;
      if (plan.a_integer < 1 || plan.a_integer > kMostValues) {
        evaluator_.fail(where + " zipf", *contents.a,
                        "the number of values must be from 1 to " + std::to_string(kMostValues));
      } else if (!fits(plan.a_integer - 1, type)) {
        evaluator_.fail(where + " zipf", *contents.a, "the values do not fit in " + name_of(type));
      }
      if (plan.b < 0) evaluator_.fail(where + " zipf", *contents.b, "an exponent cannot be negative");
    } else if (contents.kind == Contents::Kind::field) {
      plan.a = evaluator_.number(*contents.a, where + " field");
      plan.b = evaluator_.number(*contents.b, where + " field");
      plan.width = evaluator_.integer(*contents.width, where + " width");
      if (plan.width < 1) {
        evaluator_.fail(where + " width", *contents.width, "a row has at least one element");
      } else if (count % static_cast<std::uint64_t>(plan.width) != 0) {
        evaluator_.fail(
            where + " width", *contents.width,
            std::to_string(count) + " elements are no whole rows of " + std::to_string(plan.width));
      }
      for (const double bound : {plan.a, plan.b}) {
        const bool is_within =
            std::abs(bound) < 0x1p53 && fits(static_cast<std::int64_t>(std::llround(bound)), type);
        if (is_integer_type(type) && !is_within)
          evaluator_.fail(where + " field: the bounds do not fit in " + name_of(type));
      }
    } else if (contents.kind == Contents::Kind::csr_offsets) {
      plan.sparse = sparse(argument, count);
      if (!fits(plan.sparse.nonzeros, type))
        evaluator_.fail(where + " csr_offsets: the offsets do not fit in " + name_of(type));
    } else {
      const auto offsets = std::ranges::find(kernel_.arguments, contents.offsets, &Argument::name);
      const std::int64_t extent =
          evaluator_.integer(*offsets->extent, "argument '" + offsets->name + "': extent");
      plan.sparse = sparse(*offsets, static_cast<std::uint64_t>(extent));
      if (count != static_cast<std::uint64_t>(plan.sparse.nonzeros)) {
        evaluator_.fail(where + " csr_columns: " + std::to_string(count) + " elements for " +
                        std::to_string(plan.sparse.nonzeros) + " nonzeros");
      }
      if (!fits(std::max<std::int64_t>(plan.sparse.columns, 1) - 1, type))
        evaluator_.fail(where + " csr_columns: the columns do not fit in " + name_of(type));
    }
  }

  std::uint64_t seed(const Argument& argument, const std::string& where) {
    if (!argument.contents.seed) return seed_of(argument.name);
    return static_cast<std::uint64_t>(evaluator_.integer(*argument.contents.seed, where));
  }

  // The matrix that an argument with csr_offsets describes.
  SparsePlan sparse(const Argument& argument, std::uint64_t count) {
    const Contents& contents = argument.contents;
    const std::string where = "argument '" + argument.name + "': csr_offsets ";
    SparsePlan plan;
    plan.rows = static_cast<std::int64_t>(count) - 1;
    plan.nonzeros = evaluator_.integer(*contents.a, where + "nonzeros");
    plan.columns = evaluator_.integer(*contents.b, where + "columns");
    if (contents.exponent) plan.exponent = evaluator_.number(*contents.exponent, where + "exponent");
    if (!contents.lengths.parts.empty()) {
      const std::string name = evaluator_.text(contents.lengths, where + "lengths");
      const auto lengths = enum_from_name<RowLengths>(name);
      if (!lengths) evaluator_.fail(where + "lengths: '" + name + "' is none of even, uniform, zipf");
      plan.lengths = lengths.value_or(RowLengths::even);
    }
    plan.seed = seed(argument, where + "seed");
    std::int64_t places = 0;
    if (count == 0)
      evaluator_.fail(where + "needs one element more than the matrix has rows: the extent is 0");
    if (plan.exponent < 0) evaluator_.fail(where + "exponent: it is negative");
    if (plan.columns < 0) evaluator_.fail(where + "columns", *contents.b, "it is negative");
    const bool is_huge = __builtin_mul_overflow(plan.rows, plan.columns, &places);
    if (plan.nonzeros < 0 || (!is_huge && plan.nonzeros > places)) {
      evaluator_.fail(where + "nonzeros", *contents.a,
                      std::to_string(plan.nonzeros) + " do not fit in " + std::to_string(plan.rows) +
                          " rows of " + std::to_string(plan.columns));
    }
    return plan;
  }

  TolerancePlan tolerance(const Tolerance& tolerance, const std::string& where) {
    TolerancePlan plan;
    const auto read = [&](const std::optional<Expression>& expression, const char* name) {
      if (!expression) return 0.0;
      const double bound = evaluator_.number(*expression, where + name);
      if (bound < 0) evaluator_.fail(where + name, *expression, "a tolerance cannot be negative");
      return bound;
    };
    plan.absolute = read(tolerance.absolute, "absolute");
    plan.relative = read(tolerance.relative, "relative");
    if (tolerance.ulp) {
      plan.ulp = evaluator_.integer(*tolerance.ulp, where + "ulp");
      if (plan.ulp < 0) evaluator_.fail(where + "ulp", *tolerance.ulp, "a tolerance cannot be negative");
    }
    plan.has_norm = tolerance.norm.has_value();
    plan.norm = read(tolerance.norm, "norm");
    if (tolerance.pitch) {
      plan.row = static_cast<std::uint64_t>(evaluator_.extent(*tolerance.row, where + "row", 0));
      plan.pitch = static_cast<std::uint64_t>(evaluator_.extent(*tolerance.pitch, where + "pitch", 1));
      if (plan.row > plan.pitch) {
        evaluator_.fail(where + "row", *tolerance.row,
                        "a row of " + std::to_string(plan.row) + " elements does not fit in a pitch of " +
                            std::to_string(plan.pitch));
      }
    }
    plan.any_order = tolerance.any_order;
    plan.nan_equals = tolerance.nan_equals;
    if (!tolerance.mask.empty()) {
      const auto mask = std::ranges::find(kernel_.arguments, tolerance.mask, &Argument::name);
      plan.mask = static_cast<int>(mask - kernel_.arguments.begin());
    }
    return plan;
  }

  const KernelDefinition& kernel_;
  Evaluator& evaluator_;
};

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

Value Evaluator::value(const Expression& expression, const std::string& where) {
  auto result = expression.evaluate(*scope_);
  if (result) return *std::move(result);
  fail(where, expression, result.error().message);
  return {};
}

std::int64_t Evaluator::integer(const Expression& expression, const std::string& where) {
  const Value result = value(expression, where);
  if (result.is_integer()) return result.integer();
  fail(where, expression,
       "expected an integer, this is " + result.str() + (result.is_real() ? " (// divides integers)" : ""));
  return 0;
}

std::int64_t Evaluator::extent(const Expression& expression, const std::string& where, std::int64_t least,
                               std::int64_t most) {
  const std::int64_t result = integer(expression, where);
  if (result < least)
    fail(where, expression, std::to_string(result) + " is less than " + std::to_string(least));
  if (most > 0 && result > most)
    fail(where, expression, std::to_string(result) + " is more than the device's " + std::to_string(most));
  return result;
}

bool Evaluator::truth(const Expression& expression, const std::string& where) {
  const auto result = evaluate_truth(expression.root(), *scope_);
  if (result) return *result;
  fail(where, expression, result.error().message);
  return false;
}

double Evaluator::number(const Expression& expression, const std::string& where) {
  const double result = real(expression, where);
  if (std::isfinite(result)) return result;
  fail(where, expression, "expected a number, this is " + Value(result).str());
  return 0;
}

double Evaluator::real(const Expression& expression, const std::string& where) {
  const Value result = value(expression, where);
  if (result.is_number()) return result.number();
  fail(where, expression, "expected a number, this is " + result.str());
  return 0;
}

std::string Evaluator::text(const Pattern& pattern, const std::string& where) {
  auto result = pattern.format(*scope_);
  if (result) return *std::move(result);
  fail(where + " '" + pattern.text + "': " + result.error().message);
  return {};
}

ElementType Evaluator::element_type(const Pattern& pattern, const std::string& where) {
  const std::string name = text(pattern, where + "type");
  const auto type = element_type_from_name(name);
  if (!type) fail(where + "'" + name + "' is no element type");
  return type.value_or(ElementType::float32);
}

Value Evaluator::scalar(const Expression& expression, ElementType type, const std::string& where) {
  if (is_complex(type)) fail(where + ": a scalar cannot be complex; pass a struct of its two parts");
  Value result = value(expression, where);
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

ArgumentPlan resolve_argument(const Argument& argument, const KernelDefinition& kernel,
                              Evaluator& evaluator) {
  return ArgumentResolver(kernel, evaluator).resolve(argument);
}

}  // namespace gktune
