#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "tuner/core/element_type.h"

namespace gktune {

// The element type of a C++ type; nothing for others, such as void and structures.
template <class T>
constexpr std::optional<ElementType> element_type_of() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<Plain, float>) {
    return ElementType::float32;
  } else if constexpr (std::is_same_v<Plain, double>) {
    return ElementType::float64;
  } else if constexpr (std::is_integral_v<Plain> && !std::is_same_v<Plain, bool>) {
    constexpr bool is_signed = std::is_signed_v<Plain>;
    switch (sizeof(Plain)) {
      case 1:
        return is_signed ? ElementType::int8 : ElementType::uint8;
      case 2:
        return is_signed ? ElementType::int16 : ElementType::uint16;
      case 4:
        return is_signed ? ElementType::int32 : ElementType::uint32;
      default:
        return is_signed ? ElementType::int64 : ElementType::uint64;
    }
  } else {
    return std::nullopt;
  }
}

// An argument of a launch: a pointer to memory of the device, or a number.
class LaunchArgument {
 public:
  template <class T>
  LaunchArgument(T* pointer) : is_pointer_(true), is_const_(std::is_const_v<T>), type_(element_type_of<T>()) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    std::memcpy(value_, &address, sizeof address);
  }
  template <class T>
  requires std::integral<T> || std::floating_point<T> LaunchArgument(T scalar) : type_(element_type_of<T>()) {
    static_assert(sizeof(T) <= sizeof value_);
    std::memcpy(value_, &scalar, sizeof scalar);
  }
  enum class Access { read, write };
  // An address of memory whose elements have this type, if it is known.
  static LaunchArgument address(std::uintptr_t address, std::optional<ElementType> type, Access access) {
    LaunchArgument argument(reinterpret_cast<void*>(address));
    argument.type_ = type;
    argument.is_const_ = access == Access::read;
    return argument;
  }
  // A number of a type that C++ may not have; `bytes` is as long as an element.
  static LaunchArgument scalar(ElementType type, const void* bytes) {
    LaunchArgument argument(0);
    argument.type_ = type;
    std::memcpy(argument.value_, bytes, element_size(type));
    return argument;
  }

  const void* value() const { return value_; }
  bool is_pointer() const { return is_pointer_; }
  bool is_const() const { return is_const_; }
  std::optional<ElementType> type() const { return type_; }  // nothing: any

 private:
  alignas(8) unsigned char value_[8] = {};
  bool is_pointer_ = false, is_const_ = false;
  std::optional<ElementType> type_;
};

}  // namespace gktune
