#include "tuner/core/device_info.h"

#include <algorithm>

namespace gktune {
namespace {

constexpr DeviceKind kKinds[] = {
    {.name = "host"},
    {.name = "cuda", .is_gpu = true, .toolkit = "CUDA", .architecture = "sm_90"},
};

constexpr std::string_view kDigits = "0123456789";

}  // namespace

std::span<const DeviceKind> known_device_kinds() { return kKinds; }

const DeviceKind* find_device_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &DeviceKind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

bool is_gpu(std::string_view kind) {
  const DeviceKind* const found = find_device_kind(kind);
  return found != nullptr && found->is_gpu;
}

const DeviceKind* kind_of_architecture(std::string_view architecture) {
  for (const DeviceKind& kind : kKinds) {
    const std::string_view prefix = kind.architecture.substr(0, kind.architecture.find_first_of(kDigits));
    if (prefix.empty() || !architecture.starts_with(prefix)) continue;
    const std::string_view number = architecture.substr(prefix.size());
    if (!number.empty() && kDigits.find(number.front()) != kDigits.npos) return &kind;
  }
  return nullptr;
}

NamedValues DeviceInfo::attributes() const {
  NamedValues attributes;
  const auto add = [&]<class T>(const char* field, const T& member) {
    if constexpr (!std::same_as<T, bool>) attributes.set(field, member);
  };
  identity_fields(add, *this);
  figure_fields(add, *this);
  return attributes;
}

bool are_of_one_model(const DeviceInfo& a, const DeviceInfo& b) {
  return a.name == b.name && a.multiprocessors == b.multiprocessors;
}

}  // namespace gktune
