#include "gktune/kernel.h"

#include <set>
#include <utility>

#include "runtime/kernel_state.h"

namespace gktune {

Result<void> check_textures(const KernelDefinition& kernel) {
  const std::set<std::string> textured = textured_buffers(kernel);
  if (textured.empty()) return {};
  return Error{"an application cannot launch " + kernel.name + ": it takes a texture of '" +
               *textured.begin() + "', and only the tuner makes textures"};
}

Result<std::vector<std::shared_ptr<const Bundle>>> open_bundles(const KernelSettings& settings) {
  std::vector<std::shared_ptr<const Bundle>> bundles;
  for (const auto& path : settings.bundles) {
    auto bundle = Bundle::open(path);
    if (!bundle) return bundle.error();
    bundles.push_back(*std::move(bundle));
  }
  return bundles;
}

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

Result<Kernel> Kernel::make(KernelParts parts) {
  auto state = std::make_unique<State>(std::move(parts));
  if (auto opened = state->open(); !opened) return opened.error();
  return Kernel(std::move(state));
}

Result<Kernel> Kernel::open_bundled(const std::string& kernel, KernelSettings settings) {
  if (settings.bundles.empty()) return Error{"no bundle was given"};
  if (!settings.databases.empty()) return Error{"a kernel of a bundle has no sources: it uses no database"};
  auto bundles = open_bundles(settings);
  if (!bundles) return bundles.error();
  auto device = open_launch_device({settings.device, "", ""});
  if (!device) return device.error();
  // The first bundle that serves the device says how the kernel is launched.
  std::string errors;
  for (const auto& bundle : *bundles) {
    auto definition = bundle->definition(kernel, (*device)->info());
    if (definition)
      return make({*std::move(definition), std::move(settings), *std::move(device), *std::move(bundles)});
    errors += (errors.empty() ? "" : "; ") + definition.error().message;
  }
  return Error{std::move(errors)};
}

const std::vector<std::string>& Kernel::axes() const { return state_->axes(); }

[[gnu::hot]] Result<void> Kernel::launch(std::span<const AxisValue> problem,
                                         std::span<const LaunchArgument> arguments, void* stream) {
  return state_->launch(problem, arguments, stream);
}

Result<KernelChoice> Kernel::prepare(std::span<const AxisValue> problem) { return state_->prepare(problem); }

Result<KernelChoice> Kernel::autotune(std::span<const AxisValue> problem,
                                      std::span<const LaunchArgument> arguments, double budget_s) {
  return state_->autotune(problem, arguments, budget_s);
}

}  // namespace gktune
