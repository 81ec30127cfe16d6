#include "tuner/core/device_info.h"

namespace gktune {

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
