#include "tuner/space/struct_layout.h"

#include <algorithm>

namespace gktune {
namespace {

std::size_t rounded_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

StructLayout layout_of(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program, int index) {
  const ArgumentPlan& argument = passed_argument(arguments, program, index);
  StructLayout layout;
  if (argument.is_tensor_map()) {
    layout.bytes = kTensorMapBytes;
    layout.alignment = 64;
    return layout;
  }
  if (argument.is_texture()) {
    layout.bytes = layout.alignment = kTextureBytes;
    return layout;
  }
  if (argument.members.empty()) {
    layout.bytes = argument.is_scalar ? element_size(argument.type) : sizeof(void*);
    layout.alignment = argument.is_scalar ? element_size(argument.type) : sizeof(void*);
    layout.parts.push_back({0, layout.bytes, index});
    return layout;
  }
  for (const int each : argument.members) {
    const StructLayout member = layout_of(arguments, program, each);
    const std::size_t offset = rounded_up(layout.bytes, member.alignment);
    for (const StructLayout::Part& part : member.parts)
      layout.parts.push_back({offset + part.offset, part.bytes, part.index});
    layout.bytes = offset + member.bytes;
    layout.alignment = std::max(layout.alignment, member.alignment);
  }
  layout.bytes = rounded_up(layout.bytes, layout.alignment);
  return layout;
}

}  // namespace gktune
