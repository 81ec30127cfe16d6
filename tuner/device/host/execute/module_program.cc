#include "tuner/device/host/execute/module_program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tuner/core/element_type.h"
#include "tuner/device/worker/compile_cache.h"

namespace gktune {
namespace {

// The reason why the entry cannot take the arguments of the step.
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

}  // namespace

Result<ModuleProgram, Failure> ModuleProgram::load(const Module& module, const ProgramPlan& plan,
                                                   const std::vector<ArgumentPlan>& arguments) {
  // A missing or damaged file is no fault of the configuration.
  if (auto whole = CompileCache::verify(module.path); !whole)
    return Failure{Status::machine_failed, whole.error().message};
  auto loaded = HostModule::load(module);
  std::fenv_t mode;
  std::fegetenv(&mode);
  std::fesetenv(FE_DFL_ENV);
  if (!loaded) return Failure{Status::launch_failed, loaded.error().message};
  ModuleProgram program{*std::move(loaded),        mode, {}, {}, {}, PassedValues(arguments, plan),
                        buffer_bytes_of(arguments)};
  for (const auto& [plans, steps] :
       {std::pair(&plan.steps, &program.steps), std::pair(&plan.setup_once, &program.setup_once),
        std::pair(&plan.setup_each, &program.setup_each)}) {
    for (const StepPlan& step : *plans) {
      std::size_t entry = 0;
      if (!step.entry.empty()) {
        const auto place = program.place_of(step.entry, plan);
        if (!place) return place.error();
        entry = *place;
        if (auto why = misfit(program.module.entry(entry), step, plan, arguments, program.passed))
          return Failure{Status::launch_failed, *std::move(why)};
      }
      steps->push_back({step, entry});
    }
  }
  return program;
}

Result<std::size_t, Failure> ModuleProgram::place_of(const std::string& entry,
                                                     const ProgramPlan& plan) const {
  const auto found = std::ranges::find(plan.source.entries, entry);
  const auto place = static_cast<std::size_t>(found - plan.source.entries.begin());
  if (place < module.entry_count()) return place;
  return Failure{Status::launch_failed, "the compiled code has no " + entry};
}

}  // namespace gktune
