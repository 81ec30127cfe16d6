#include "cli/settings.h"

#include "tuner/core/quantity.h"

namespace gktune {

Result<NamedValues> parse_settings(const std::vector<std::string>& settings) {
  NamedValues values;
  for (const std::string& setting : settings) {
    const std::size_t sign = setting.find('=');
    if (sign == 0 || sign == std::string::npos) return Error{"'" + setting + "' is not NAME=VALUE"};
    values.set(setting.substr(0, sign), parse_value(setting.substr(sign + 1)));
  }
  return values;
}

}  // namespace gktune
