#include "engine/device_choice.h"

#include <charconv>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/text.h"

namespace gktune {

namespace {

std::optional<DeviceChoice> gpu_from(const DeviceKind& kind, std::string_view text) {
  if (!kind.is_gpu || !text.starts_with(kind.name)) return std::nullopt;
  DeviceChoice choice{.kind = DeviceChoice::Kind::gpu, .gpu_kind = std::string(kind.name)};
  text.remove_prefix(kind.name.size());
  if (text.empty()) return choice;
  if (text == ":all") {
    choice.extent = DeviceChoice::Extent::all;
    return choice;
  }
  if (text.front() != ':') return std::nullopt;
  int ordinal = -1;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), ordinal);
  if (error != std::errc() || end != text.data() + text.size() || ordinal < 0) return std::nullopt;
  choice.ordinal = ordinal;
  return choice;
}

// The forms of a device's name. `number`, `version` and `file` are placeholders.
std::vector<std::string> forms(std::string_view number, std::string_view version, std::string_view file) {
  std::vector<std::string> all = {"auto", "host"};
  for (const DeviceKind& kind : known_device_kinds()) {
    if (!kind.is_gpu) continue;
    const std::string name(kind.name);
    all.insert(all.end(), {name, name + ":all", name + ':' + std::string(number)});
  }
  for (const DeviceKind& kind : known_device_kinds()) {
    if (kind.architecture.empty()) continue;
    const std::size_t digit = kind.architecture.find_first_of("0123456789");
    all.push_back(version.empty() ? std::string(kind.architecture)
                                  : std::string(kind.architecture.substr(0, digit)) + std::string(version));
  }
  all.push_back("replay:" + std::string(file));
  return all;
}

}  // namespace

Result<DeviceChoice> parse_device(std::string_view text) {
  using Kind = DeviceChoice::Kind;
  if (text == "auto") return DeviceChoice{};
  if (text == "host") return DeviceChoice{Kind::host};
  if (text.starts_with("replay:") && text.size() > 7) {
    return DeviceChoice{.kind = Kind::replay, .recording = std::string(text.substr(7))};
  }
  for (const DeviceKind& kind : known_device_kinds()) {
    if (auto gpu = gpu_from(kind, text)) return *std::move(gpu);
  }
  if (kind_of_architecture(text) != nullptr) {
    return DeviceChoice{.kind = Kind::architecture, .architecture = std::string(text)};
  }
  const auto known = forms("0", "", "FILE");
  return Error{"no device is called '" + std::string(text) + "'" + did_you_mean(text, known) +
               "; the devices are " + joined(known)};
}

std::string device_forms(DeviceUse use) {
  std::vector<std::string> all = forms("[N]", "[NN]", "[FILE]");
  if (use == DeviceUse::run)
    std::erase_if(all, [](const std::string& form) { return form.ends_with("[NN]"); });
  return joined(all, "|");
}

}  // namespace gktune
