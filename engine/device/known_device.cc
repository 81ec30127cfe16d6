#include "engine/device/known_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/core/spelling.h"

namespace gktune {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

Result<DeviceIdentity> find_device(const std::string& text, const std::vector<DeviceIdentity>& devices) {
  std::vector<DeviceIdentity> found;
  std::vector<std::string> names;
  for (const DeviceIdentity& device : devices) {
    if (std::ranges::find(names, device.name) == names.end()) names.push_back(device.name);
    if (device.name == text) return device;
    bool is_new = std::ranges::find(found, device) == found.end();
    if (is_new && lower(device.name).find(lower(text)) != std::string::npos) found.push_back(device);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    std::vector<std::string> candidates;
    for (const DeviceIdentity& device : found) candidates.push_back(device.name);
    return Error{fmt::format("'{}' may be any of {}", text, fmt::join(candidates, "; "))};
  }
  std::string guess = did_you_mean(text, names);
  if (guess.empty() && !names.empty()) guess = fmt::format("; it knows {}", fmt::join(names, "; "));
  return Error{fmt::format("the database knows no device '{}'{}", text, guess)};
}

}  // namespace gktune
