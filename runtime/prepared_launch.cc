#include "runtime/prepared_launch.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "tuner/core/text.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

// The scalar as a value of another type, if that has the same value.
std::optional<LaunchArgument> same_scalar(const LaunchArgument& given, ElementType to) {
  const auto from = given.type();
  if (given.is_pointer() || !from || is_complex(*from) || is_complex(to)) return std::nullopt;
  static_assert(std::numeric_limits<long double>::digits >= 64);  // holds each number of each type
  const auto* bytes = static_cast<const std::byte*>(given.value());
  const std::uint64_t bits = is_floating(*from) ? 0 : load_bits(*from, bytes);
  const long double value = is_floating(*from) ? load_real(*from, bytes)
                            : is_signed_integer(*from)
                                ? static_cast<long double>(static_cast<std::int64_t>(bits))
                                : static_cast<long double>(bits);
  std::byte stored[8] = {};
  if (is_floating(to)) {
    store_real(to, stored, static_cast<double>(value));
    if (!std::isnan(value) && load_real(to, stored) != value) return std::nullopt;
  } else {
    const int digits = static_cast<int>(8 * element_size(to)) - (is_signed_integer(to) ? 1 : 0);
    const long double end = std::ldexp(1.0L, digits);
    if (!(value < end && value >= (is_signed_integer(to) ? -end : 0)) || value != std::trunc(value))
      return std::nullopt;
    store_bits(to, stored,
               value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                         : static_cast<std::uint64_t>(value));
  }
  return LaunchArgument::scalar(to, stored);
}

// "float32*, not const float32*"
std::string difference(const ArgumentInfo& expected, const LaunchArgument& given) {
  if (given.is_pointer() && !expected.is_scalar && given.is_zero() && expected.count > 0) return "null";
  const auto pointer_to = [](bool is_pointer, std::string_view type) {
    return std::string(type) + (is_pointer ? "*" : "");
  };
  const bool is_const = given.is_pointer() && given.is_const() && expected.is_written && !expected.is_scalar;
  const std::string type(given.is_boolean() ? "bool"
                         : given.type()     ? element_type_name(*given.type())
                                            : "void");
  std::string text = pointer_to(!expected.is_scalar, element_type_name(expected.type)) + ", not " +
                     (is_const ? "const " : "") + pointer_to(given.is_pointer(), type);
  if (expected.is_scalar && !given.is_pointer() && given.type()) {
    text += ": " + element_text(*given.type(), static_cast<const std::byte*>(given.value())) +
            " is none of its values";
  }
  return text;
}

}  // namespace

Result<std::vector<LaunchArgument>> PreparedLaunch::converted(
    const std::string& kernel, std::span<const LaunchArgument> arguments) const {
  const std::vector<ArgumentInfo>& expected = answer.arguments;
  if (arguments.size() != expected.size()) {
    return Error{kernel + " takes " + std::to_string(expected.size()) +
                     (expected.size() == 1 ? " argument (" : " arguments (") +
                     joined(expected, ", ", &ArgumentInfo::name) + "), and is given " +
                     std::to_string(arguments.size()),
                 ErrorCode::invalid_argument};
  }
  std::vector<LaunchArgument> all(arguments.begin(), arguments.end());
  for (std::size_t place = 0; place < all.size(); ++place) {
    if (passed[place].accepts(all[place])) continue;
    const ArgumentInfo& info = expected[place];
    const auto same = info.is_scalar ? same_scalar(all[place], info.type) : std::nullopt;
    if (!same) {
      return Error{"argument " + std::to_string(place + 1) + " of " + kernel + ", '" + info.name + "', is " +
                       difference(info, all[place]),
                   ErrorCode::invalid_argument};
    }
    all[place] = *same;
  }
  return all;
}

}  // namespace gktune
