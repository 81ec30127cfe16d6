#include "gktune/values.h"

#include <array>
#include <charconv>
#include <cmath>

namespace gktune {
namespace {

// The shortest text that reads back as the same double and does not look like an integer.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> buffer{};
  auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string Value::str() const {
  switch (kind()) {
    case Kind::boolean:
      return boolean() ? "true" : "false";
    case Kind::integer:
      return std::to_string(integer());
    case Kind::real:
      return real_text(real());
    case Kind::text:
      break;
  }
  return text();
}

std::string Value::json() const {
  if (is_text()) return json_quote(text());
  if (is_real() && !std::isfinite(real())) return "null";
  return str();
}

std::string json_quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  static constexpr std::string_view kSpecial = "\"\\\n\r\t", kLetters = "\"\\nrt";
  std::string quoted = "\"";
  for (const char c : text) {
    if (const std::size_t at = kSpecial.find(c); at != kSpecial.npos) {
      quoted += '\\';
      quoted += kLetters[at];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += "\\u00";
      quoted += kHex[c >> 4];
      quoted += kHex[c & 0xf];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace gktune
