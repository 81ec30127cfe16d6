#pragma once

#include <concepts>
#include <cstddef>
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
  LaunchArgument(T* pointer)
      : form_(form_of(kPointer | (std::is_const_v<T> ? kConst : 0), element_type_of<T>())) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    std::memcpy(value_, &address, sizeof address);
  }
  template <class T>
  requires std::integral<T> || std::floating_point<T> LaunchArgument(T scalar)
      : form_(form_of(0, element_type_of<T>())) {
    static_assert(sizeof(T) <= sizeof value_);
    std::memcpy(value_, &scalar, sizeof scalar);
  }
  enum class Access { read, write };
  // An address of memory whose elements have this type, if it is known.
  static LaunchArgument address(std::uintptr_t address, std::optional<ElementType> type, Access access) {
    LaunchArgument argument(reinterpret_cast<void*>(address));
    argument.form_ = form_of(kPointer | (access == Access::read ? kConst : 0), type);
    return argument;
  }
  // A number of a type that C++ may not have; `bytes` is as long as an element.
  static LaunchArgument scalar(ElementType type, const void* bytes) {
    LaunchArgument argument(0);
    argument.form_ = form_of(0, type);
    std::memcpy(argument.value_, bytes, element_size(type));
    return argument;
  }

  const void* value() const { return value_; }
  static constexpr std::size_t kValueOffset = 0;  // of value() in the object
  // True if all bytes of the value are 0, as of a null pointer and of the number 0.
  bool is_zero() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value_, sizeof bits);
    return bits == 0;
  }
  bool is_pointer() const { return (form_ & kPointer) != 0; }
  bool is_const() const { return (form_ & kConst) != 0; }
  // Empty if the argument may have any type.
  std::optional<ElementType> type() const {
    const std::uint32_t type = form_ >> kTypeShift;
    return type == 0 ? std::nullopt : std::optional(static_cast<ElementType>(type - 1));
  }

  // All but the value in one number, which launches compare: these flags, and the type.
  static constexpr std::uint32_t kPointer = 1, kConst = 2;
  static constexpr std::uint32_t form_of(std::uint32_t flags, std::optional<ElementType> type) {
    return flags | (type ? static_cast<std::uint32_t>(*type) + 1 : 0) << kTypeShift;
  }
  std::uint32_t form() const { return form_; }

 private:
  static constexpr int kTypeShift = 8;

  alignas(8) unsigned char value_[8] = {};
  std::uint32_t form_;
};

}  // namespace gktune
