#include "tuner/device/cuda/launcher_program.h"

#include <utility>

namespace gktune {

Result<LauncherProgram, Failure> LauncherProgram::load(const Module& module, const ProgramPlan& program,
                                                       const std::vector<ArgumentPlan>& arguments) {
  auto code = SharedObjectSteps::load(module, program, arguments);
  if (!code) return code.error();
  return LauncherProgram(*std::move(code));
}

void LauncherProgram::queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const {
  switch (part) {
    case Part::prepare:
      run(gpu, code_.setup_once, addresses);
      return run(gpu, code_.setup_each, addresses);
    case Part::execute:
      return run(gpu, code_.steps, addresses);
    case Part::finish:
      return;
  }
}

void LauncherProgram::run(Gpu& gpu, const std::vector<SharedObjectSteps::Step>& steps,
                          std::span<const CUdeviceptr> addresses) const {
  const std::vector<void*> values = code_.passed.values_at(addresses);
  std::vector<void*> given;
  std::vector<std::byte> structs;
  for (const SharedObjectSteps::Step& step : steps) {
    if (!gpu.ok()) return;
    if (step.plan.entry.empty()) {
      const auto filled = static_cast<std::size_t>(step.plan.fill_argument);
      gpu.fill(addresses[filled], static_cast<unsigned char>(step.plan.fill_byte),
               code_.buffer_bytes[filled]);
      continue;
    }
    given.resize(step.plan.arguments.size());
    code_.passed.point_to(step.plan.arguments, values.data(), given.data(), structs);
    auto called = code_.module.call(step.entry, given, gpu.stream());
    if (called) continue;
    // Wait for its queued work before its code is unloaded. This also shows if the context still works.
    gpu.check(gpu.driver().cuCtxSynchronize(), nullptr);
    return gpu.fail({called.error().status, step.plan.entry + ": " + called.error().message});
  }
}

}  // namespace gktune
