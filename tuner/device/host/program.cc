#include "tuner/device/host/program.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace gktune {
namespace {

// What keeps an entry from being given these arguments.
std::optional<std::string> misfit(const kernel::Entry& entry, const StepPlan& step,
                                  const std::vector<ArgumentPlan>& arguments) {
  if (entry.argument_count != step.arguments.size()) {
    return step.entry + " has " + std::to_string(entry.argument_count) + " parameters and is given " +
           std::to_string(step.arguments.size()) + " arguments";
  }
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const ArgumentPlan& argument = arguments[static_cast<std::size_t>(step.arguments[i])];
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

Result<Program, Fault> Program::load(const Module& module, const ProgramPlan& plan,
                                     const std::vector<ArgumentPlan>& arguments) {
  auto loaded = HostModule::load(module);
  if (!loaded) {
    // What the compiler left and is gone, or cannot be read, says nothing of the configuration.
    const bool is_there = ::access(module.path.c_str(), R_OK) == 0;
    return Fault{is_there ? Status::launch_failed : Status::machine_failed, loaded.error().message};
  }
  Program program(std::move(*loaded));
  for (const StepPlan& step : plan.steps) {
    if (step.entry.empty()) {
      program.steps_.push_back({step, 0});
      continue;
    }
    const auto entry = std::ranges::find(plan.source.entries, step.entry);
    const auto index = static_cast<std::size_t>(entry - plan.source.entries.begin());
    if (index >= program.module_.entry_count()) {
      return Fault{Status::launch_failed, "the compiled code has no " + step.entry};
    }
    if (auto why = misfit(program.module_.entry(index), step, arguments)) {
      return Fault{Status::launch_failed, std::move(*why)};
    }
    program.steps_.push_back({step, index});
  }
  return program;
}

bool Program::has_kernels() const {
  return std::ranges::any_of(steps_, [this](const Step& step) {
    return !step.plan.entry.empty() && module_.entry(step.entry).is_kernel;
  });
}

Result<void, Fault> Program::run(Executor& executor, ProblemBuffers& buffers) const {
  void* values[kernel::Entry::kMaxArguments];
  for (const Step& step : steps_) {
    if (step.plan.entry.empty()) {
      const auto bytes = buffers.bytes(static_cast<std::size_t>(step.plan.fill_argument));
      if (!bytes.empty()) std::memset(bytes.data(), step.plan.fill_byte, bytes.size());
      continue;
    }
    const std::size_t count = step.plan.arguments.size();
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = buffers.value(static_cast<std::size_t>(step.plan.arguments[i]));
    }
    auto done = module_.launch(executor, step.entry,
                               {step.plan.grid, step.plan.block, step.plan.shared_bytes}, {values, count});
    if (!done) return done;
  }
  return {};
}

}  // namespace gktune
