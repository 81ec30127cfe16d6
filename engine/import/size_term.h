#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gktune {

// An expression of a program, kept as a sum of products, with its text in the language of space files.
// Simplifies equal parts: n * 4 / 4 becomes n, and (n + b - 1) / b becomes ceil_div(n, b).
class SizeTerm {
 public:
  static SizeTerm number(std::int64_t value);
  static SizeTerm real(std::string digits);
  // A name or a call. `value` is the number that a name has in the program.
  static SizeTerm atom(std::string text, std::optional<std::int64_t> value = {});

  SizeTerm plus(const SizeTerm& other) const;
  SizeTerm minus(const SizeTerm& other) const;
  SizeTerm times(const SizeTerm& other) const;
  // Division as in C++; integers round down. Empty if the divisor is 0.
  std::optional<SizeTerm> divided_by(const SizeTerm& other) const;
  std::optional<SizeTerm> remainder(const SizeTerm& other) const;
  SizeTerm as_real() const;
  SizeTerm as_integer() const;  // rounded down
  SizeTerm rounded_up() const;  // rounded up to an integer

  std::optional<std::int64_t> constant() const;
  bool is_real() const { return is_real_; }
  // False if a number in it is too large for a size.
  bool is_sound() const;
  std::string text() const;
  // The text, in brackets unless it is a single name, number or call.
  std::string operand() const;

 private:
  struct Factor;
  struct Product {
    std::int64_t number = 1;
    std::vector<Factor> factors;
  };
  using Sum = std::vector<Product>;
  struct Factor {
    std::string text;
    bool needs_brackets = false;  // if it is one of several factors
    std::optional<std::int64_t> value;
    Sum sum;                // of a sum in brackets
    Sum dividend, divisor;  // of a quotient
  };

  static SizeTerm of(Sum sum, bool is_real = false);
  static SizeTerm of(Factor factor, bool is_real = false);
  static std::string text_of(const Sum& sum);
  static std::string text_of(const Product& product);
  static bool same_factors(const Product& a, const Product& b);
  static std::optional<Product> quotient(const Product& dividend, const Product& divisor);
  static std::optional<Sum> rounded_up_dividend(const Sum& dividend, const Sum& divisor);
  SizeTerm combined(const SizeTerm& other, std::int64_t sign) const;
  Product as_product() const;
  void join_rounded_up();
  const Factor* single_factor() const;

  Sum sum_;
  bool is_real_ = false;
};

}  // namespace gktune
