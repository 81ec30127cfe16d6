#include "engine/import/size_term.h"

#include <algorithm>

namespace gktune {
namespace {

// Far above every size, far below an overflow of what is printed.
constexpr std::int64_t kTooLarge = std::int64_t{1} << 60;

std::int64_t limited(std::int64_t value) { return std::clamp(value, -kTooLarge, kTooLarge); }

std::int64_t product_of(std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  return __builtin_mul_overflow(a, b, &value) ? kTooLarge : limited(value);
}

}  // namespace

SizeTerm SizeTerm::of(Sum sum, bool is_real) {
  SizeTerm term;
  term.is_real_ = is_real;
  std::erase_if(sum, [](const Product& product) { return product.number == 0; });
  // 1 * (a + b)
  const bool is_wrapped =
      sum.size() == 1 && sum[0].number == 1 && sum[0].factors.size() == 1 && !sum[0].factors[0].sum.empty();
  term.sum_ = is_wrapped ? Sum(sum[0].factors[0].sum) : std::move(sum);
  // The constant comes last.
  std::ranges::stable_partition(term.sum_, [](const Product& product) { return !product.factors.empty(); });
  return term;
}

SizeTerm SizeTerm::of(Factor factor, bool is_real) {
  return of(Sum{Product{1, {std::move(factor)}}}, is_real);
}

SizeTerm SizeTerm::number(std::int64_t value) { return of(Sum{{limited(value), {}}}); }

SizeTerm SizeTerm::real(std::string digits) { return of(Factor{.text = std::move(digits)}, true); }

SizeTerm SizeTerm::atom(std::string text, std::optional<std::int64_t> value) {
  return of(Factor{.text = std::move(text), .value = value});
}

bool SizeTerm::same_factors(const Product& a, const Product& b) {
  return a.factors.size() == b.factors.size() &&
         quotient(Product{1, a.factors}, Product{1, b.factors}).has_value();
}

// The quotient. Empty if the division leaves a remainder.
std::optional<SizeTerm::Product> SizeTerm::quotient(const Product& dividend, const Product& divisor) {
  if (divisor.number == 0 || dividend.number % divisor.number != 0) return std::nullopt;
  Product rest = dividend;
  rest.number /= divisor.number;
  for (const Factor& factor : divisor.factors) {
    const auto found = std::ranges::find(rest.factors, factor.text, &Factor::text);
    if (found == rest.factors.end()) return std::nullopt;
    rest.factors.erase(found);
  }
  return rest;
}

SizeTerm SizeTerm::combined(const SizeTerm& other, std::int64_t sign) const {
  Sum sum = sum_;
  for (Product product : other.sum_) {
    product.number *= sign;
    const auto same =
        std::ranges::find_if(sum, [&](const Product& each) { return same_factors(each, product); });
    if (same == sum.end()) {
      sum.push_back(std::move(product));
    } else {
      same->number = limited(same->number + product.number);
    }
  }
  SizeTerm term = of(std::move(sum), is_real_ || other.is_real_);
  term.join_rounded_up();
  return term;
}

SizeTerm SizeTerm::plus(const SizeTerm& other) const { return combined(other, 1); }
SizeTerm SizeTerm::minus(const SizeTerm& other) const { return combined(other, -1); }

// (n - 1) / b + 1 is ceil_div(n, b).
void SizeTerm::join_rounded_up() {
  const auto one = std::ranges::find_if(
      sum_, [](const Product& each) { return each.factors.empty() && each.number == 1; });
  if (one == sum_.end()) return;
  for (Product& product : sum_) {
    if (product.number != 1 || product.factors.size() != 1 || product.factors[0].dividend.empty()) continue;
    const SizeTerm dividend = of(product.factors[0].dividend).plus(number(1));
    const bool has_constant =
        std::ranges::any_of(dividend.sum_, [](const Product& each) { return each.factors.empty(); });
    if (has_constant || dividend.sum_.empty()) continue;
    product.factors = {
        {.text = "ceil_div(" + dividend.text() + ", " + text_of(product.factors[0].divisor) + ")"}};
    sum_.erase(one);
    return;
  }
}

SizeTerm::Product SizeTerm::as_product() const {
  if (sum_.empty()) return {0, {}};
  if (sum_.size() == 1) return sum_[0];
  return {1, {{.text = text_of(sum_), .needs_brackets = true, .sum = sum_}}};
}

SizeTerm SizeTerm::times(const SizeTerm& other) const {
  Product left = as_product();
  const Product right = other.as_product();
  left.number = product_of(left.number, right.number);
  left.factors.insert(left.factors.end(), right.factors.begin(), right.factors.end());
  return of(Sum{std::move(left)}, is_real_ || other.is_real_);
}

// n of (n + b - 1) / b, and of (n + 255) / 256 where b stands for 256.
std::optional<SizeTerm::Sum> SizeTerm::rounded_up_dividend(const Sum& dividend, const Sum& divisor) {
  const SizeTerm all = of(dividend);
  std::vector<SizeTerm> less_one{of(divisor).minus(number(1))};
  if (divisor.size() == 1 && divisor[0].number == 1 && divisor[0].factors.size() == 1 &&
      divisor[0].factors[0].value)
    less_one.push_back(number(*divisor[0].factors[0].value - 1));
  for (const SizeTerm& part : less_one) {
    SizeTerm rest = all.minus(part);
    if (!part.sum_.empty() && !rest.sum_.empty() && rest.sum_.size() + part.sum_.size() == all.sum_.size())
      return rest.sum_;
  }
  return std::nullopt;
}

std::optional<SizeTerm> SizeTerm::divided_by(const SizeTerm& other) const {
  if (other.sum_.empty()) return std::nullopt;
  if (other.constant() == 1) return is_real_ || !other.is_real_ ? *this : as_real();
  const bool is_real = is_real_ || other.is_real_;
  const auto a = constant(), b = other.constant();
  if (a && b && !is_real) return number(*a / *b);
  const Product divisor = other.as_product();
  Sum exact;
  for (const Product& product : sum_) {
    auto part = quotient(product, divisor);
    if (!part) break;
    exact.push_back(*std::move(part));
  }
  if (exact.size() == sum_.size()) return of(std::move(exact), is_real);
  if (!is_real) {
    if (const auto whole = rounded_up_dividend(sum_, other.sum_)) {
      return atom("ceil_div(" + text_of(*whole) + ", " + other.text() + ")");
    }
  }
  return of(Factor{.text = operand() + (is_real ? " / " : " // ") + other.operand(),
                   .needs_brackets = true,
                   .dividend = sum_,
                   .divisor = other.sum_},
            is_real);
}

std::optional<SizeTerm> SizeTerm::remainder(const SizeTerm& other) const {
  if (other.sum_.empty() || is_real_ || other.is_real_) return std::nullopt;
  const auto a = constant(), b = other.constant();
  if (a && b) return number(*a % *b);
  return of(Factor{.text = operand() + " % " + other.operand(), .needs_brackets = true});
}

SizeTerm SizeTerm::as_real() const {
  SizeTerm term = *this;
  term.is_real_ = true;
  return term;
}

const SizeTerm::Factor* SizeTerm::single_factor() const {
  return sum_.size() == 1 && sum_[0].number == 1 && sum_[0].factors.size() == 1 ? sum_[0].factors.data()
                                                                                : nullptr;
}

SizeTerm SizeTerm::as_integer() const {
  if (!is_real_) return *this;
  if (const Factor* factor = single_factor(); factor != nullptr && !factor->dividend.empty())
    return of(factor->dividend).divided_by(of(factor->divisor)).value_or(*this);
  if (constant()) return of(sum_);
  return atom("int(" + text() + ")");
}

SizeTerm SizeTerm::rounded_up() const {
  if (!is_real_) return *this;
  const Factor* factor = single_factor();
  if (factor != nullptr && !factor->dividend.empty())
    return atom("ceil_div(" + text_of(factor->dividend) + ", " + text_of(factor->divisor) + ")");
  return atom("ceil(" + text() + ")");
}

std::optional<std::int64_t> SizeTerm::constant() const {
  if (sum_.empty()) return 0;
  return sum_.size() == 1 && sum_[0].factors.empty() ? std::optional(sum_[0].number) : std::nullopt;
}

bool SizeTerm::is_sound() const {
  return std::ranges::none_of(sum_, [](const Product& product) {
    return product.number >= kTooLarge || product.number <= -kTooLarge;
  });
}

std::string SizeTerm::text_of(const Product& product) {
  const std::int64_t number = product.number < 0 ? -product.number : product.number;
  std::string text;
  const bool is_alone = product.factors.size() == 1 && number == 1;
  for (const Factor& factor : product.factors) {
    const bool has_brackets = factor.needs_brackets && !is_alone;
    text += (text.empty() ? "" : " * ") + (has_brackets ? "(" + factor.text + ")" : factor.text);
  }
  if (text.empty()) return std::to_string(number);
  return number == 1 ? text : text + " * " + std::to_string(number);
}

std::string SizeTerm::text_of(const Sum& sum) {
  if (sum.empty()) return "0";
  std::string text;
  for (const Product& product : sum) {
    if (text.empty()) {
      text = (product.number < 0 ? "-" : "") + text_of(product);
    } else {
      text += (product.number < 0 ? " - " : " + ") + text_of(product);
    }
  }
  return text;
}

std::string SizeTerm::text() const { return text_of(sum_); }

std::string SizeTerm::operand() const {
  const Factor* factor = single_factor();
  const bool is_simple = factor != nullptr ? !factor->needs_brackets : constant() && *constant() >= 0;
  return is_simple ? text() : "(" + text() + ")";
}

}  // namespace gktune
