#include "tuner/space/reader/scalar.h"

#include <charconv>
#include <string_view>

#include "tuner/core/letters.h"
#include "tuner/core/quantity.h"

namespace gktune {
namespace {

// True if YAML readers take the text for a number, well-formed or not.
bool looks_numeric(std::string_view text) {
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan") return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front());
}

bool require_scalar(const YamlNode& node, std::string_view what, ErrorList& errors) {
  if (node.is_scalar()) return true;
  errors.add(node, "expected " + std::string(what) + ", found " + std::string(kind_words(node)),
             brace_hint(node));
  return false;
}

}  // namespace

std::optional<Value> read_value(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a value", errors)) return std::nullopt;
  if (!node.is_plain()) return Value(node.text);
  if (node.text == "true" || node.text == "True" || node.text == "TRUE") return Value(true);
  if (node.text == "false" || node.text == "False" || node.text == "FALSE") return Value(false);
  if (!looks_numeric(node.text)) return Value(node.text);
  Result<Value> number = parse_number(node.text);
  if (number) return *std::move(number);
  errors.add(node, number.error().message, "a text of this form needs quotes");
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "an integer", errors)) return std::nullopt;
  const auto integer = parse_integer(node.text);
  if (integer) return *integer;
  errors.add(node, integer.error().message);
  return std::nullopt;
}

std::optional<Decimal> read_decimal(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a number", errors)) return std::nullopt;
  const Result<Value> number = parse_number(node.text);
  if (!number) {
    errors.add(node, number.error().message);
    return std::nullopt;
  }
  if (number->is_integer()) return Decimal{number->integer(), 0};
  // The digits as written, without the point.
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
    } else if (c != '+' && c != '_') {
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
  errors.add(node, "too many digits in '" + node.text + "'");
  return std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a text", errors)) return std::nullopt;
  return node.text;
}

std::optional<double> read_seconds(const YamlNode& node, ErrorList& errors) {
  if (!require_scalar(node, "a duration", errors)) return std::nullopt;
  const auto seconds = parse_seconds(node.text);
  if (seconds && *seconds > 0) return *seconds;
  errors.add(node, seconds ? "'" + node.text + "' is not above 0" : seconds.error().message);
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
