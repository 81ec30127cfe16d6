#include "cli/output/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace gktune {
namespace {

// For values between 1 and 1000: a fourth digit would be noise.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array<std::pair<const char*, std::int64_t>, 4> kUnits = {
      {{"TiB", std::int64_t{1} << 40},
       {"GiB", std::int64_t{1} << 30},
       {"MiB", std::int64_t{1} << 20},
       {"KiB", std::int64_t{1} << 10}}};
  for (const auto& [name, factor] : kUnits) {
    if (std::abs(bytes) < factor) continue;
    if (bytes % factor == 0) return fmt::format("{} {}", bytes / factor, name);
    return fmt::format("{:.1f} {}", static_cast<double>(bytes) / static_cast<double>(factor), name);
  }
  return fmt::format("{} B", bytes);
}

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

std::string format_things(std::int64_t count, std::string noun) {
  if (count != 1 && noun.ends_with('y')) noun.replace(noun.size() - 1, 1, "ie");
  if (count != 1) noun += 's';
  return format_count(count) + ' ' + noun;
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return "-";
  double size = std::abs(value);
  if (size >= 1000 && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string format_percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string format_date(std::int64_t unix_ms) {
  constexpr std::int64_t kEndOfYear9999 = 253'402'300'800'000;
  if (unix_ms <= 0 || unix_ms >= kEndOfYear9999) return "-";
  auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(seconds));
}

std::string format_in(Unit unit, double value) {
  constexpr std::size_t kBarColumns = 20;
  constexpr double kMostExact = 1e15;
  switch (unit) {
    case Unit::none:
      return format_number(value);
    case Unit::count:
      return std::abs(value) < kMostExact ? format_count(static_cast<std::int64_t>(value))
                                          : format_number(value);
    case Unit::bytes:
      return format_bytes(static_cast<std::int64_t>(value));
    case Unit::microseconds:
      return format_time_us(value);
    case Unit::seconds:
      return format_seconds(value);
    case Unit::share:
      return format_percent(value);
    case Unit::unix_ms:
      return format_date(static_cast<std::int64_t>(value));
    case Unit::bar:
      return bar(value, kBarColumns);
  }
  return {};
}

std::string bar(double share, std::size_t columns) {
  static constexpr std::array<const char*, 8> kBlocks = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double whole = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto eighths = static_cast<std::size_t>(std::lround(whole * static_cast<double>(columns * 8)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kBlocks[eighths % 8];
}

}  // namespace gktune
