#include "tuner/device/host/host_program.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tuner/device/host/sanitize/memory_watch.h"

namespace gktune {
namespace {

// A launch passes `object`, the address of `texture`.
struct PassedTexture {
  kernel::Texture texture;
  const kernel::Texture* object;
};

kernel::Texture texture_of(const TexturePlan& plan, const void* data) {
  using Type = kernel::Texture::Type;
  using Row = std::pair<ElementType, Type>;
  constexpr Row kTypes[] = {{ElementType::int8, Type::int8},       {ElementType::int16, Type::int16},
                            {ElementType::int32, Type::int32},     {ElementType::uint8, Type::uint8},
                            {ElementType::uint16, Type::uint16},   {ElementType::uint32, Type::uint32},
                            {ElementType::float16, Type::float16}, {ElementType::float32, Type::float32}};
  return {static_cast<const unsigned char*>(data),
          std::ranges::find(kTypes, plan.type, &Row::first)->second,
          plan.channels,
          plan.channels * static_cast<long>(element_size(plan.type)),
          plan.width,
          plan.height,
          plan.pitch_bytes,
          static_cast<kernel::Texture::Address>(plan.address),  // in the same order
          plan.filter == TexturePlan::Filter::linear,
          plan.is_normalized,
          plan.reads_fractions};
}

}  // namespace

Result<HostProgram, Failure> HostProgram::load(const Module& module, const ProgramPlan& planned,
                                               const std::vector<ArgumentPlan>& arguments) {
  const ProgramPlan plan = launched_as(module, planned);
  auto code = SharedObjectSteps::load(module, plan, arguments);
  if (!code) return code.error();
  HostProgram program(*std::move(code), plan.source.instrumentation);
  if (program.has_kernels()) {
    for (const auto* steps : {&plan.steps, &plan.setup_once, &plan.setup_each}) {
      for (const StepPlan& step : *steps) {
        if (!step.entry.empty()) program.note_resources(step);
      }
    }
  }
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
    const auto index = static_cast<int>(arguments.size() + i);
    if (plan.values[i].is_texture()) program.textures_.emplace(index, plan.values[i].texture);
  }
  for (const VariablePlan& variable : plan.variables) {
    if (auto added = program.add_variable(variable, plan, arguments); !added) return added.error();
  }
  return program;
}

Result<void, Failure> HostProgram::add_variable(const VariablePlan& variable, const ProgramPlan& program,
                                                const std::vector<ArgumentPlan>& arguments) {
  const auto place = code_.place_of(variable.entry, program);
  if (!place) return place.error();
  const auto index = static_cast<std::size_t>(variable.argument);
  const kernel::Entry& entry = code_.module.entry(*place);
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
  return std::ranges::any_of(code_.steps, [this](const SharedObjectSteps::Step& step) {
    return !step.plan.entry.empty() && code_.module.entry(step.entry).is_kernel;
  });
}

Result<void, Failure> HostProgram::run(Executor& executor, const std::vector<SharedObjectSteps::Step>& steps,
                                       void* const* values) const {
  void* given[kernel::Entry::kMaxArguments];
  std::vector<std::byte> structs;
  std::vector<PassedTexture> textures;  // of one step
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const SharedObjectSteps::Step& step = steps[at];
    if (step.plan.flag_argument >= 0) {
      const auto flag = static_cast<std::size_t>(step.plan.flag_argument);
      std::uint64_t value = 0;
      std::memcpy(&value, *static_cast<void**>(values[flag]), code_.buffer_bytes[flag]);
      if (value != 0) at += step.plan.skipped;
      continue;
    }
    if (step.plan.entry.empty()) {
      const auto filled = static_cast<std::size_t>(step.plan.fill_argument);
      std::memset(*static_cast<void**>(values[filled]), step.plan.fill_byte, code_.buffer_bytes[filled]);
      if (MemoryWatch* watch = executor.settings().watch)
        watch->note_filled(*static_cast<void**>(values[filled]));
      continue;
    }
    code_.passed.point_to(step.plan.arguments, values, given, structs);
    textures.clear();
    if (!textures_.empty()) textures.reserve(step.plan.arguments.size());  // they stay where they are
    for (std::size_t i = 0; !textures_.empty() && i < step.plan.arguments.size(); ++i) {
      const auto plan = textures_.find(step.plan.arguments[i]);
      if (plan == textures_.end()) continue;
      PassedTexture& passed = textures.emplace_back();
      passed.texture = texture_of(plan->second, *static_cast<void**>(values[plan->second.argument]));
      passed.object = &passed.texture;
      given[i] = &passed.object;
    }
    const LaunchShape shape{step.plan.grid, step.plan.block, step.plan.shared_bytes, step.plan.attributes};
    auto done = code_.module.launch(executor, step.entry, shape, {given, step.plan.arguments.size()});
    if (!done) return done;
  }
  return {};
}

bool HostProgram::needs_each_setup() const {
  return !code_.setup_each.empty() || std::ranges::any_of(variables_, &Variable::is_written);
}

Result<void, Failure> HostProgram::prepare(Executor& executor, void* const* values) const {
  for (const Variable& variable : variables_) {
    std::memcpy(variable.memory, *static_cast<void**>(values[variable.argument]),
                code_.buffer_bytes[variable.argument]);
  }
  if (auto done = run(executor, code_.setup_once, values); !done) return done;
  return run(executor, code_.setup_each, values);
}

Result<void, Failure> HostProgram::execute(Executor& executor, void* const* values) const {
  return run(executor, code_.steps, values);
}

void HostProgram::finish(void* const* values) const {
  for (const Variable& variable : variables_) {
    if (!variable.is_written) continue;
    std::memcpy(*static_cast<void**>(values[variable.argument]), variable.memory,
                code_.buffer_bytes[variable.argument]);
  }
}

Result<void, Failure> HostProgram::launch(Executor& executor, void* const* values) const {
  auto done = prepare(executor, values);
  if (done) done = execute(executor, values);
  if (done) finish(values);
  return done;
}

}  // namespace gktune
