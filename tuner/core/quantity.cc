#include "tuner/core/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "tuner/core/text.h"

namespace gktune {
namespace {

struct SizeUnit {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<SizeUnit, 4> kSizeUnits = {{{"Ti", std::int64_t{1} << 40},
                                                 {"Gi", std::int64_t{1} << 30},
                                                 {"Mi", std::int64_t{1} << 20},
                                                 {"Ki", std::int64_t{1} << 10}}};

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr std::array<TimeUnit, 7> kTimeUnits = {
    {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
constexpr double kLongestSeconds = 3e10;  // sums with clock times stay in range

enum class NumberError { malformed, exceeds_integer, exceeds_real };

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Result<Value, NumberError> read_real(std::string_view digits) {
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, status] = std::from_chars(digits.data(), last, value);
  if (end != last || status == std::errc::invalid_argument) return NumberError::malformed;
  if (status != std::errc() || !std::isfinite(value)) return NumberError::exceeds_real;
  return Value(value);
}

Result<Value, NumberError> read_number(std::string_view text) {
  std::int64_t factor = 1;
  for (const SizeUnit& unit : kSizeUnits) {
    if (text.ends_with(unit.name)) factor = unit.factor;
  }
  if (factor != 1) text.remove_suffix(2);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  if (base != 10) text.remove_prefix(2);
  // from_chars accepts a sign, "inf" and "nan" here.
  if (text.empty() || text.front() == '-') return NumberError::malformed;
  if (base == 10 && !is_digit(text.front()) && text.front() != '.') return NumberError::malformed;
  std::string digits(text);
  if (is_negative) digits.insert(digits.begin(), '-');

  std::int64_t integer = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, status] = std::from_chars(digits.data(), last, integer, base);
  if (end == last && status != std::errc::invalid_argument) {
    if (status == std::errc() && !__builtin_mul_overflow(integer, factor, &integer)) return Value(integer);
    return NumberError::exceeds_integer;
  }
  if (base != 10 || factor != 1) return NumberError::malformed;
  return read_real(digits);
}

std::string message(NumberError error, std::string_view text) {
  if (error == NumberError::exceeds_integer) return quoted(text) + " does not fit in 64 bits";
  if (error == NumberError::exceeds_real) return quoted(text) + " does not fit in a double";
  return quoted(text) + " is not a number; write it as 65536, 64Ki, 0x40, 0.5 or 1e-3";
}

// Takes the number at the start of `text` off.
std::optional<double> take_real(std::string_view& text) {
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return std::nullopt;
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

Result<Value> parse_number(std::string_view text) {
  auto number = read_number(text);
  if (!number) return Error{message(number.error(), text)};
  return *std::move(number);
}

Result<std::int64_t> parse_integer(std::string_view text) {
  const auto number = read_number(text);
  if (number && number->is_integer()) return number->integer();
  if (number) {
    const double real = number->number();
    if (std::abs(real) < 9e15 && real == std::floor(real)) return static_cast<std::int64_t>(real);
  } else if (number.error() == NumberError::exceeds_integer) {
    return Error{message(number.error(), text)};
  }
  return Error{quoted(text) + " is not an integer; write it as 1048576, 1Mi or 1e6"};
}

Result<std::int64_t> parse_count(std::string_view text) {
  auto value = parse_integer(text);
  if (value && *value < 0) return Error{quoted(text) + " is below 0"};
  return value;
}

Result<double> parse_seconds(std::string_view text) {
  std::string_view unit = text;
  const auto amount = take_real(unit);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto known = std::ranges::find(kTimeUnits, unit, &TimeUnit::name);
  if (!amount || (known == kTimeUnits.end() && !unit.empty()))
    return Error{quoted(text) + " is not a duration; write it as 60s, 500ms, 2min, 1h or 7d"};
  const double seconds = *amount * (unit.empty() ? 1 : known->seconds);
  if (seconds >= kLongestSeconds) return Error{quoted(text) + " is longer than 900 years"};
  return seconds;
}

Result<double> parse_percent(std::string_view text) {
  const Error error{quoted(text) + " is not a percentage; write it as 2% or 0.5%"};
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const bool has_sign = digits.size() < text.size();
  while (has_sign && digits.ends_with(' ')) digits.remove_suffix(1);
  const auto number = parse_number(digits);
  if (!number || number->number() < 0 || (!has_sign && number->number() != 0)) return error;
  return number->number() / 100;
}

Value parse_value(std::string_view text) {
  if (auto integer = parse_integer(text)) return *integer;
  if (auto number = parse_number(text)) return *number;
  if (text == "true") return true;
  if (text == "false") return false;
  return text;
}

std::string format_size(std::int64_t value) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (value != 0 && value % unit.factor == 0) return std::to_string(value / unit.factor).append(unit.name);
  }
  return std::to_string(value);
}

std::string format_value(const Value& value) {
  return value.is_integer() ? format_size(value.integer()) : value.str();
}

std::string format_count(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string format_count(std::int64_t value) { return format_count(std::to_string(value)); }

std::string format_byte_count(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace gktune
