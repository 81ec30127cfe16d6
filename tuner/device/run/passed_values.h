#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/failure.h"
#include "tuner/space/plan.h"

namespace gktune {

// An error if the variable is too small for the buffer that it holds.
Result<void, Failure> check_variable(const VariablePlan& variable, std::size_t bytes,
                                     const ArgumentPlan& held);

// The sizes of the plan's arguments.
std::vector<std::size_t> buffer_bytes_of(const std::vector<ArgumentPlan>& arguments);

// A value that a launch passes: an argument of the plan, or the value of the
// program's own that is pointed to.
struct PassedValue {
  std::size_t argument = 0;
  const void* own = nullptr;
};

// The values that a program's steps pass to functions.
class PassedValues {
 public:
  PassedValues() = default;
  PassedValues(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program);

  // The size of the parameter that takes it.
  std::size_t bytes(int index) const { return values_[static_cast<std::size_t>(index)].bytes; }
  bool is_struct(int index) const { return !values_[static_cast<std::size_t>(index)].layout.parts.empty(); }
  // The value if it is the program's own; null: the plan's argument.
  const void* own(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return i < argument_count_ ? nullptr : values_[i].scalar;
  }

  // One pointer to the value of each of the plan's arguments: to an address in `addresses`, or, where that is
  // 0, to a scalar here.
  template <class Address>
  std::vector<void*> values_at(std::span<const Address> addresses) const {
    std::vector<void*> values;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const void* value = addresses[i] != 0 ? static_cast<const void*>(&addresses[i]) : values_[i].scalar;
      values.push_back(const_cast<void*>(value));  // functions take copies
    }
    return values;
  }

  // Writes a pointer to each value that the step passes. values[i] points to the value of the plan's i-th
  // argument. Structs are put together in `room`, which grows as needed.
  void point_to(const std::vector<int>& passed, void* const* values, void** pointers,
                std::vector<std::byte>& room) const;

 private:
  struct Value {
    alignas(16) std::byte scalar[16] = {};
    std::size_t bytes = 0;
    StructLayout layout;  // of a struct
  };
  const void* at(int index, void* const* values) const {
    const void* value = own(index);
    return value != nullptr ? value : values[index];
  }

  std::size_t argument_count_ = 0;
  std::vector<Value> values_;  // of the plan's arguments, then of the program's own
};

}  // namespace gktune
