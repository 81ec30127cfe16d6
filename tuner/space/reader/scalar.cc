#include "tuner/space/reader/scalar.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "tuner/core/letters.h"
#include "tuner/core/result.h"

namespace gktune {
namespace {

struct Unit {
  std::string_view name;
  double worth;
};

constexpr Unit kTimes[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

// Whether a reader takes it for a number, be it a good one or not.
bool looks_numeric(std::string_view text) {
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan") return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front());
}

// A number, or in words why it is none.
Result<Value> parse_number(const std::string& whole) {
  std::string_view text = whole;
  int shift = 0;
  if (text.ends_with("Ki")) shift = 10;
  if (text.ends_with("Mi")) shift = 20;
  if (text.ends_with("Gi")) shift = 30;
  if (text.ends_with("Ti")) shift = 40;
  if (shift > 0) text.remove_suffix(2);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);

  std::string digits(text);
  // A second sign is none of from_chars' business.
  if (!digits.empty() && digits.front() != '-' && is_negative) digits.insert(digits.begin(), '-');
  const char* const first = digits.data();
  const char* const last = first + digits.size();
  std::int64_t integer = 0, scaled = 0;
  const auto [end, status] = std::from_chars(first, last, integer, is_hex ? 16 : 10);
  if (end == last && first != last) {
    if (status == std::errc() && !__builtin_mul_overflow(integer, std::int64_t{1} << shift, &scaled)) {
      return Value(scaled);
    }
    return Error{"'" + whole + "' does not fit in 64 bits"};
  }
  if (!is_hex && shift == 0) {
    double real = 0;
    const auto [real_end, real_status] = std::from_chars(first, last, real);
    if (real_end == last && real_status == std::errc() && std::isfinite(real)) return Value(real);
    if (real_end == last && real_status == std::errc::result_out_of_range) {
      return Error{"'" + whole + "' does not fit in a double"};
    }
  }
  return Error{"'" + whole + "' is not a number"};
}

bool require_scalar(const YamlNode& node, std::string_view what, Complaints& complaints) {
  if (node.is_scalar()) return true;
  complaints.add(node, "expected " + std::string(what) + ", here is " + std::string(kind_words(node)),
                 brace_words(node));
  return false;
}

}  // namespace

std::optional<Value> read_value(const YamlNode& node, Complaints& complaints) {
  if (!require_scalar(node, "a value", complaints)) return std::nullopt;
  if (!node.is_plain()) return Value(node.text);
  if (node.text == "true" || node.text == "True" || node.text == "TRUE") return Value(true);
  if (node.text == "false" || node.text == "False" || node.text == "FALSE") return Value(false);
  if (!looks_numeric(node.text)) return Value(node.text);
  Result<Value> number = parse_number(node.text);
  if (number) return *std::move(number);
  const bool is_odd = number.error().message.ends_with("is not a number");
  complaints.add(node, number.error().message,
                 is_odd ? "integers may end in Ki, Mi, Gi, Ti; a text goes in quotes" : "");
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const YamlNode& node, Complaints& complaints) {
  if (!require_scalar(node, "an integer", complaints)) return std::nullopt;
  const Result<Value> number = parse_number(node.text);
  if (number && number->is_integer() && node.is_plain()) return number->integer();
  complaints.add(node, "expected an integer, here is '" + node.text + "'");
  return std::nullopt;
}

std::optional<Decimal> read_decimal(const YamlNode& node, Complaints& complaints) {
  if (!require_scalar(node, "a number", complaints)) return std::nullopt;
  const Result<Value> number = parse_number(node.text);
  if (!number || !node.is_plain()) {
    complaints.add(node, "expected a number, here is '" + node.text + "'");
    return std::nullopt;
  }
  if (number->is_integer()) return Decimal{number->integer(), 0};
  // The digits as they are written, the point taken out.
  std::string_view text = node.text;
  std::string digits;
  int exponent = 0;
  bool is_fraction = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == 'e' || c == 'E') {
      std::string_view rest = text.substr(at + 1);
      if (rest.starts_with('+')) rest.remove_prefix(1);
      int written = 0;
      std::from_chars(rest.data(), rest.data() + rest.size(), written);
      exponent += written;
      break;
    }
    if (c == '.') {
      is_fraction = true;
    } else if (c != '+') {
      digits += c;
      if (is_fraction) --exponent;
    }
  }
  while (is_fraction && digits.size() > 1 && digits.ends_with('0')) {
    digits.pop_back();
    ++exponent;
  }
  Decimal decimal{0, exponent};
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), decimal.digits);
  if (status == std::errc() && end == digits.data() + digits.size()) return decimal;
  complaints.add(node, "'" + node.text + "' has too many digits");
  return std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, Complaints& complaints) {
  if (!require_scalar(node, "a text", complaints)) return std::nullopt;
  return node.text;
}

std::optional<double> read_seconds(const YamlNode& node, Complaints& complaints) {
  if (!require_scalar(node, "a time", complaints)) return std::nullopt;
  std::string_view text = node.text;
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  double worth = unit.empty() ? 1 : 0;
  for (const Unit& time : kTimes) {
    if (unit == time.name) worth = time.worth;
  }
  const double seconds = number * worth;
  // A thousand years: sums with clocks stay far from their ends.
  if (status == std::errc() && seconds > 0 && seconds < 3e10) return seconds;
  complaints.add(node, "'" + node.text + "' is not a time", "a number and a unit: 500ms, 10s, 2min, 1h");
  return std::nullopt;
}

double decimal_number(const Decimal& decimal) {
  const std::string text = std::to_string(decimal.digits) + 'e' + std::to_string(decimal.exponent);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<std::int64_t> rescaled(const Decimal& decimal, int exponent) {
  std::int64_t digits = decimal.digits;
  if (digits == 0) return 0;
  for (int at = decimal.exponent; at > exponent; --at) {
    if (__builtin_mul_overflow(digits, std::int64_t{10}, &digits)) return std::nullopt;
  }
  return digits;
}

}  // namespace gktune
