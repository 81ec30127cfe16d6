#include "tuner/device/host/host_program.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "tuner/device/host/sanitize/memory_watch.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

// The reason why the entry cannot take these arguments.
std::optional<std::string> misfit(const kernel::Entry& entry, const StepPlan& step,
                                  const std::vector<ArgumentPlan>& passed) {
  if (entry.argument_count != step.arguments.size()) {
    return step.entry + " has " + std::to_string(entry.argument_count) + " parameters and is given " +
           std::to_string(step.arguments.size()) + " arguments";
  }
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const ArgumentPlan& argument = passed[static_cast<std::size_t>(step.arguments[i])];
    const std::string which = "parameter " + std::to_string(i + 1) + " of " + step.entry;
    if (entry.argument_is_pointer[i] == argument.is_scalar) {
      return which + (argument.is_scalar ? " is a pointer, '" + argument.name + "' is a scalar"
                                         : " is no pointer, '" + argument.name + "' is a buffer");
    }
    const std::size_t size = element_size(argument.type);
    if (argument.is_scalar && entry.argument_bytes[i] != size) {
      return which + " has " + std::to_string(entry.argument_bytes[i]) + " bytes, '" + argument.name +
             "' is " + std::string(element_type_name(argument.type)) + " and has " + std::to_string(size);
    }
  }
  return std::nullopt;
}

}  // namespace

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
  program.argument_count_ = arguments.size();
  std::vector<ArgumentPlan> passed = arguments;
  passed.insert(passed.end(), plan.values.begin(), plan.values.end());
  for (const ArgumentPlan& argument : passed) {
    Scalar scalar{};
    if (argument.is_scalar) store_number(argument.type, scalar.data(), argument.scalar);
    program.scalars_.push_back(scalar);
    program.bytes_.push_back(argument.count * element_size(argument.type));
  }
  for (const StepPlan& step : plan.steps) {
    if (step.entry.empty()) {
      program.steps_.push_back({step, 0});
      continue;
    }
    const auto entry = std::ranges::find(plan.source.entries, step.entry);
    const auto index = static_cast<std::size_t>(entry - plan.source.entries.begin());
    if (index >= program.module_.entry_count()) {
      return Failure{Status::launch_failed, "the compiled code has no " + step.entry};
    }
    if (auto why = misfit(program.module_.entry(index), step, passed)) {
      return Failure{Status::launch_failed, std::move(*why)};
    }
    program.steps_.push_back({step, index});
    if (plan.source.language != Language::cpp) program.note_resources(step);
  }
  return program;
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

Result<void, Failure> HostProgram::launch(Executor& executor, void* const* values) const {
  void* given[kernel::Entry::kMaxArguments];
  for (const Step& step : steps_) {
    if (step.plan.entry.empty()) {
      const auto filled = static_cast<std::size_t>(step.plan.fill_argument);
      std::memset(*static_cast<void**>(values[filled]), step.plan.fill_byte, bytes_[filled]);
      if (MemoryWatch* watch = executor.settings().watch) watch->note_filled(*static_cast<void**>(values[filled]));
      continue;
    }
    const std::size_t count = step.plan.arguments.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(step.plan.arguments[i]);
      const void* value = index < argument_count_ ? values[index] : scalars_[index].data();
      given[i] = const_cast<void*>(value);  // kernels take copies
    }
    auto done = module_.launch(executor, step.entry,
                               {step.plan.grid, step.plan.block, step.plan.shared_bytes}, {given, count});
    if (!done) return done;
  }
  return {};
}

Result<void, Failure> HostProgram::run(Executor& executor, std::span<const std::uintptr_t> addresses) const {
  std::vector<void*> values;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const void* value = addresses[i] != 0 ? static_cast<const void*>(&addresses[i])
                                          : static_cast<const void*>(scalars_[i].data());
    values.push_back(const_cast<void*>(value));  // kernels take copies
  }
  return launch(executor, values.data());
}

}  // namespace gktune
