#include "tuner/device/host/host_program.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "tuner/core/element_type.h"
#include "tuner/device/host/execute/entry_arguments.h"
#include "tuner/device/host/sanitize/memory_watch.h"
#include "tuner/device/worker/compile_cache.h"

namespace gktune {

Result<HostProgram, Failure> HostProgram::load(const Module& module, const ProgramPlan& plan,
                                               const std::vector<ArgumentPlan>& arguments,
                                               Instrumentation instrumentation) {
  // A file that is gone or damaged says nothing about the configuration.
  if (auto whole = CompileCache::verify(module.path); !whole)
    return Failure{Status::machine_failed, whole.error().message};
  auto loaded = HostModule::load(module);
  std::fenv_t mode;
  std::fegetenv(&mode);
  std::fesetenv(FE_DFL_ENV);
  if (!loaded) return Failure{Status::launch_failed, loaded.error().message};
  HostProgram program(std::move(*loaded), instrumentation);
  program.floating_point_mode_ = mode;
  program.passed_ = PassedValues(arguments, plan);
  program.buffer_bytes_ = buffer_bytes_of(arguments);
  for (const auto& [plans, steps] :
       {std::pair(&plan.steps, &program.steps_), std::pair(&plan.setup_once, &program.setup_once_),
        std::pair(&plan.setup_each, &program.setup_each_)}) {
    if (auto added = program.add_steps(*plans, plan, arguments, *steps); !added) return added.error();
  }
  for (const VariablePlan& variable : plan.variables) {
    if (auto added = program.add_variable(variable, plan, arguments); !added) return added.error();
  }
  return program;
}

// The entry's place in the module.
Result<std::size_t, Failure> HostProgram::place_of(const std::string& entry, const ProgramPlan& plan) const {
  const auto found = std::ranges::find(plan.source.entries, entry);
  const auto place = static_cast<std::size_t>(found - plan.source.entries.begin());
  if (place < module_.entry_count()) return place;
  return Failure{Status::launch_failed, "the compiled code has no " + entry};
}

Result<void, Failure> HostProgram::add_steps(const std::vector<StepPlan>& plans, const ProgramPlan& program,
                                             const std::vector<ArgumentPlan>& arguments,
                                             std::vector<Step>& steps) {
  for (const StepPlan& step : plans) {
    if (step.entry.empty()) {
      steps.push_back({step, 0});
      continue;
    }
    const auto place = place_of(step.entry, program);
    if (!place) return place.error();
    if (auto why = misfit(module_.entry(*place), step, program, arguments, passed_)) {
      return Failure{Status::launch_failed, std::move(*why)};
    }
    steps.push_back({step, *place});
    if (program.source.language == Language::cuda) note_resources(step);
  }
  return {};
}

Result<void, Failure> HostProgram::add_variable(const VariablePlan& variable, const ProgramPlan& program,
                                                const std::vector<ArgumentPlan>& arguments) {
  const auto place = place_of(variable.entry, program);
  if (!place) return place.error();
  const auto index = static_cast<std::size_t>(variable.argument);
  const kernel::Entry& entry = module_.entry(*place);
  if (auto fits = check_variable(variable, entry.variable_bytes, arguments[index]); !fits) return fits;
  variables_.push_back(
      {const_cast<void*>(entry.variable), index, arguments[index].role != Argument::Role::in});
  return {};
}

void HostProgram::note_resources(const StepPlan& step) {
  const auto threads = [](const auto& grid, const auto& block) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < 3; ++i) count *= grid[i] * block[i];
    return count;
  };
  if (threads(step.grid, step.block) <= threads(resources_.grid, resources_.block)) return;
  resources_.grid = step.grid;
  resources_.block = step.block;
  resources_.dynamic_shared_bytes = step.shared_bytes;
}

bool HostProgram::has_kernels() const {
  return std::ranges::any_of(steps_, [this](const Step& step) {
    return !step.plan.entry.empty() && module_.entry(step.entry).is_kernel;
  });
}

Result<void, Failure> HostProgram::run(Executor& executor, const std::vector<Step>& steps,
                                       void* const* values) const {
  void* given[kernel::Entry::kMaxArguments];
  std::vector<std::byte> structs;
  for (const Step& step : steps) {
    if (step.plan.entry.empty()) {
      const auto filled = static_cast<std::size_t>(step.plan.fill_argument);
      std::memset(*static_cast<void**>(values[filled]), step.plan.fill_byte, buffer_bytes_[filled]);
      if (MemoryWatch* watch = executor.settings().watch) watch->note_filled(*static_cast<void**>(values[filled]));
      continue;
    }
    passed_.point_to(step.plan.arguments, values, given, structs);
    const LaunchShape shape{step.plan.grid, step.plan.block, step.plan.shared_bytes, step.plan.attributes};
    auto done = module_.launch(executor, step.entry, shape, {given, step.plan.arguments.size()});
    if (!done) return done;
  }
  return {};
}

bool HostProgram::needs_each_setup() const {
  return !setup_each_.empty() || std::ranges::any_of(variables_, &Variable::is_written);
}

Result<void, Failure> HostProgram::prepare(Executor& executor, void* const* values) const {
  for (const Variable& variable : variables_) {
    std::memcpy(variable.memory, *static_cast<void**>(values[variable.argument]),
                buffer_bytes_[variable.argument]);
  }
  if (auto done = run(executor, setup_once_, values); !done) return done;
  return run(executor, setup_each_, values);
}

Result<void, Failure> HostProgram::execute(Executor& executor, void* const* values) const {
  return run(executor, steps_, values);
}

void HostProgram::finish(void* const* values) const {
  for (const Variable& variable : variables_) {
    if (!variable.is_written) continue;
    std::memcpy(*static_cast<void**>(values[variable.argument]), variable.memory,
                buffer_bytes_[variable.argument]);
  }
}

Result<void, Failure> HostProgram::launch(Executor& executor, void* const* values) const {
  auto done = prepare(executor, values);
  if (done) done = execute(executor, values);
  if (done) finish(values);
  return done;
}

}  // namespace gktune
