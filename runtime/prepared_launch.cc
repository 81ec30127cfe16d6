#include "runtime/prepared_launch.h"

#include "tuner/core/text.h"

namespace gktune {

Error PreparedLaunch::refusal(const std::string& kernel, std::span<const LaunchArgument> arguments) const {
  const std::vector<ArgumentInfo>& expected = choice.arguments;
  if (arguments.size() != expected.size()) {
    return {kernel + " takes " + std::to_string(expected.size()) +
            (expected.size() == 1 ? " argument (" : " arguments (") +
            joined(expected, ", ", &ArgumentInfo::name) + "), and is given " +
            std::to_string(arguments.size())};
  }
  std::size_t place = 0;
  while (passed[place].accepts(arguments[place])) ++place;
  const ArgumentInfo& info = expected[place];
  const LaunchArgument& given = arguments[place];
  const std::string named =
      "argument " + std::to_string(place + 1) + " of " + kernel + ", '" + info.name + "', is ";
  const auto type_text = [](bool is_pointer, std::string_view type) {
    return std::string(type) + (is_pointer ? "*" : "");
  };
  if (given.is_pointer() && !info.is_scalar && given.is_zero() && info.count > 0) return {named + "null"};
  const bool is_const = given.is_pointer() && given.is_const() && info.is_written && !info.is_scalar;
  return {named + type_text(!info.is_scalar, element_type_name(info.type)) + ", not " +
          (is_const ? "const " : "") +
          type_text(given.is_pointer(), given.type() ? element_type_name(*given.type()) : "void")};
}

}  // namespace gktune
