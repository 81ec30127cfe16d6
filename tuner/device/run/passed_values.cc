#include "tuner/device/run/passed_values.h"

#include <cstring>

#include "tuner/measure/element.h"

namespace gktune {
namespace {

// Parameters begin at addresses that suit any type.
std::size_t rounded_up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

Result<void, Failure> check_variable(const VariablePlan& variable, std::size_t bytes,
                                     const ArgumentPlan& held) {
  const std::size_t needed = held.count * element_size(held.type);
  if (bytes >= needed) return {};
  return Failure{Status::launch_failed, "the variable " + variable.entry.substr(1) + " has " +
                                            std::to_string(bytes) + " bytes, the argument '" + held.name +
                                            "' has " + std::to_string(needed)};
}

std::vector<std::size_t> buffer_bytes_of(const std::vector<ArgumentPlan>& arguments) {
  std::vector<std::size_t> bytes;
  for (const ArgumentPlan& argument : arguments)
    bytes.push_back(argument.count * element_size(argument.type));
  return bytes;
}

PassedValues::PassedValues(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program)
    : argument_count_(arguments.size()) {
  for (std::size_t i = 0; i < arguments.size() + program.values.size(); ++i) {
    const auto index = static_cast<int>(i);
    const ArgumentPlan& argument = passed_argument(arguments, program, index);
    Value& value = values_.emplace_back();
    StructLayout layout = layout_of(arguments, program, index);
    value.bytes = layout.bytes;
    if (argument.is_scalar) store_number(argument.type, value.scalar, argument.scalar);
    if (!argument.members.empty()) value.layout = std::move(layout);
  }
}

void PassedValues::point_to(const std::vector<int>& passed, void* const* values, void** pointers,
                            std::vector<std::byte>& room) const {
  const auto needed = [&](int index) { return is_struct(index) ? rounded_up(bytes(index)) : 0; };
  std::size_t size = 0;
  for (const int index : passed) size += needed(index);
  if (size > room.size()) room.resize(size);
  std::byte* next = room.data();
  for (const int index : passed) {
    const void* value = at(index, values);
    if (is_struct(index)) {
      for (const StructLayout::Part& part : values_[static_cast<std::size_t>(index)].layout.parts)
        std::memcpy(next + part.offset, at(part.index, values), part.bytes);
      value = next;
      next += needed(index);
    }
    *pointers++ = const_cast<void*>(value);  // functions take copies
  }
}

}  // namespace gktune
