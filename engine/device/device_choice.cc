#include "engine/device/device_choice.h"

#include <charconv>
#include <string>
#include <vector>

#include "tuner/core/spelling.h"

namespace gktune {

Result<DeviceChoice> parse_device(std::string_view text) {
  using Kind = DeviceChoice::Kind;
  if (text == "auto") return DeviceChoice{};
  if (text == "host") return DeviceChoice{Kind::host};
  if (text == "cuda") return DeviceChoice{Kind::cuda};
  if (text == "cuda:all") return DeviceChoice{Kind::cuda, 0, DeviceChoice::Extent::all};
  if (text.starts_with("replay:") && text.size() > 7) {
    return DeviceChoice{.kind = Kind::replay, .recording = std::string(text.substr(7))};
  }
  if (text.starts_with("cuda:")) {
    std::string_view digits = text.substr(5);
    int ordinal = -1;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (error == std::errc() && end == digits.data() + digits.size() && ordinal >= 0) {
      return DeviceChoice{Kind::cuda, ordinal};
    }
  }
  if (text.starts_with("sm_") && text.size() > 3 && text[3] >= '0' && text[3] <= '9') {
    return DeviceChoice{.kind = Kind::architecture, .architecture = std::string(text)};
  }
  const std::vector<std::string> known = {"auto", "host", "cuda", "cuda:all", "sm_90", "replay:FILE"};
  return Error{"no device is called '" + std::string(text) + "'" + did_you_mean(text, known) +
               "; there is auto, host, cuda, cuda:0, cuda:all, sm_90, replay:FILE"};
}

}  // namespace gktune
