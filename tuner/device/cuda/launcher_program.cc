#include <utility>
#include <vector>

#include "tuner/device/cuda/cuda_program.h"
#include "tuner/device/host/execute/shared_object.h"
#include "tuner/device/worker/fault_report.h"

namespace gktune {
namespace {

class LauncherProgram final : public GpuProgram {
 public:
  explicit LauncherProgram(SharedObjectSteps code) : code_(std::move(code)) {}

  void queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const override {
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
  bool needs_each_setup() const override { return !code_.setup_each.empty(); }
  bool has_setup() const override { return !code_.setup_once.empty() || !code_.setup_each.empty(); }
  bool may_wait() const override { return true; }
  bool keeps_memory() const override { return true; }
  Resources resources() const override { return {}; }

 private:
  void run(Gpu& gpu, const std::vector<SharedObjectSteps::Step>& steps,
           std::span<const CUdeviceptr> addresses) const {
    const std::vector<void*> values = code_.passed.values_at(addresses);
    std::vector<void*> given;
    std::vector<std::byte> structs;
    for (std::size_t at = 0; at < steps.size(); ++at) {
      const SharedObjectSteps::Step& step = steps[at];
      if (!gpu.ok()) return;
      if (step.plan.flag_argument >= 0) {
        const auto flag = static_cast<std::size_t>(step.plan.flag_argument);
        const BoundedStep bounded;
        bool is_set = false;
        gpu.check(read_flag(gpu.driver(), gpu.stream(), addresses[flag], code_.buffer_bytes[flag], is_set),
                  nullptr);
        if (is_set) at += step.plan.skipped;
        continue;
      }
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

  SharedObjectSteps code_;
};

}  // namespace

Result<std::shared_ptr<const LoadedProgram>, Failure> load_launcher(
    const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments) {
  // Launcher code runs in this process: a worker reports that it hangs, and its parent ends the process.
  watch_own_steps();
  auto code = GKTUNE_TRY(SharedObjectSteps::load(module, program, arguments));
  return std::shared_ptr<const LoadedProgram>(std::make_shared<LauncherProgram>(std::move(code)));
}

}  // namespace gktune
