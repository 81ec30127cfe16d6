#include "tuner/device/host/execute/entry_arguments.h"

#include "tuner/core/element_type.h"

namespace gktune {

std::optional<std::string> misfit(const kernel::Entry& entry, const StepPlan& step,
                                  const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments,
                                  const PassedValues& passed) {
  if (entry.argument_count != step.arguments.size()) {
    return step.entry + " has " + std::to_string(entry.argument_count) + " parameters and is given " +
           std::to_string(step.arguments.size()) + " arguments";
  }
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const ArgumentPlan& argument = passed_argument(arguments, program, step.arguments[i]);
    const std::string which = "parameter " + std::to_string(i + 1) + " of " + step.entry;
    const bool is_struct = !argument.members.empty(), is_buffer = !argument.is_scalar && !is_struct;
    if (entry.argument_is_pointer[i] != is_buffer) {
      if (is_struct) return which + " is a pointer, the launch passes a struct";
      return which + (argument.is_scalar ? " is a pointer, '" + argument.name + "' is a scalar"
                                         : " is no pointer, '" + argument.name + "' is a buffer");
    }
    const std::size_t size = passed.bytes(step.arguments[i]);
    if (entry.argument_bytes[i] == size) continue;
    const std::string has = which + " has " + std::to_string(entry.argument_bytes[i]) + " bytes, ";
    if (is_struct) return has + "the struct that the launch passes has " + std::to_string(size);
    return has + "'" + argument.name + "' is " + std::string(element_type_name(argument.type)) + " and has " +
           std::to_string(size);
  }
  return std::nullopt;
}

}  // namespace gktune
