#include "cli/quantity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace gktune {
namespace {

struct Suffix {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<Suffix, 4> kSizes = {{{"Ti", std::int64_t{1} << 40},
                                           {"Gi", std::int64_t{1} << 30},
                                           {"Mi", std::int64_t{1} << 20},
                                           {"Ki", std::int64_t{1} << 10}}};

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> finite_number(std::string_view text) {
  auto value = whole_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool multiplies(std::int64_t value, std::int64_t factor, std::int64_t& product) {
  return !__builtin_mul_overflow(value, factor, &product);
}

// For what lies between 1 and 1000: a fourth digit would be noise.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

Result<std::int64_t> parse_integer(std::string_view text) {
  if (auto value = whole_number<std::int64_t>(text)) return *value;
  for (const auto& [name, factor] : kSizes) {
    if (!text.ends_with(name)) continue;
    auto value = whole_number<std::int64_t>(text.substr(0, text.size() - name.size()));
    std::int64_t product = 0;
    if (value && multiplies(*value, factor, product)) return product;
    if (value) return Error{quoted(text) + " does not fit in 64 bits"};
  }
  // 1e9 is an integer to whoever types it.
  if (auto real = finite_number(text); real && std::abs(*real) < 9e15 && *real == std::floor(*real)) {
    return static_cast<std::int64_t>(*real);
  }
  bool is_digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_digits) return Error{quoted(text) + " does not fit in 64 bits"};
  return Error{quoted(text) + " is not an integer; write it as 1048576, 1Mi or 1e6"};
}

Result<std::int64_t> parse_count(std::string_view text) {
  auto value = parse_integer(text);
  if (value && *value < 0) return Error{quoted(text) + " is below 0"};
  return value;
}

Result<double> parse_seconds(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  const Error error{quoted(text) + " is not a duration; write it as 60s, 500ms, 2m or 1h30m"};
  if (auto seconds = finite_number(text)) return *seconds >= 0 ? Result<double>(*seconds) : error;

  double total = 0;
  std::string_view rest = text;
  if (rest.empty()) return error;
  while (!rest.empty()) {
    std::size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
    auto amount = finite_number(rest.substr(0, digits));
    rest.remove_prefix(digits);
    auto unit = std::ranges::find_if(kUnits, [&](const auto& each) { return rest.starts_with(each.first); });
    if (!amount || unit == kUnits.end()) return error;
    total += *amount * unit->second;
    rest.remove_prefix(unit->first.size());
  }
  return total;
}

Value parse_value(std::string_view text) {
  if (auto integer = parse_integer(text)) return *integer;
  if (auto real = finite_number(text)) return *real;
  if (text == "true") return true;
  if (text == "false") return false;
  return text;
}

std::string format_size(std::int64_t value) {
  for (const auto& [name, factor] : kSizes) {
    if (value != 0 && value % factor == 0) return std::to_string(value / factor).append(name);
  }
  return std::to_string(value);
}

std::string format_value(const Value& value) {
  return value.is_integer() ? format_size(value.integer()) : value.str();
}

std::string format_bytes(std::int64_t bytes) {
  for (const auto& [name, factor] : kSizes) {
    if (std::abs(bytes) < factor) continue;
    if (bytes % factor == 0) return fmt::format("{} {}B", bytes / factor, name);
    return fmt::format("{:.1f} {}B", static_cast<double>(bytes) / static_cast<double>(factor), name);
  }
  return fmt::format("{} B", bytes);
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

std::string format_time_us(double time_us) {
  if (!std::isfinite(time_us)) return "-";
  if (time_us < 1) return fmt::format("{:.0f} ns", time_us * 1e3);
  if (time_us < 1e3) return three_digits(time_us) + " µs";
  if (time_us < 1e6) return three_digits(time_us / 1e3) + " ms";
  return fmt::format("{:.2f} s", time_us / 1e6);
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} m {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} m", whole / 3600, whole % 3600 / 60);
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return "-";
  double size = std::abs(value);
  if (size >= 1000 && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string format_percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string format_date(std::int64_t unix_ms) {
  auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(seconds));
}

}  // namespace gktune
