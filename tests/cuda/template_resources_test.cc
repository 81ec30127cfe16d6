// Compiles every shipped template for GPUs that are absent. The resources of each way must fit each GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "tests/scratch_folder.h"
#include "tests/templates/covering_sample.h"
#include "tests/templates/made_up_gpu.h"
#include "tests/templates/shipped_spaces.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr std::string_view kArchitectures[] = {"sm_80", "sm_90", "sm_100"};
constexpr int kMostRegisters = 255;
// The registers of a thread are allocated in multiples of this number.
constexpr std::int64_t kRegisterStep = 8;

// Kernels that use as many registers as there are on purpose, and may spill; and segmented_sum, of which the
// compiler spills a few values on some GPUs. The others have no reason to spill.
const std::set<std::string> kMaySpill{"attend_mma", "matmul", "normalize", "segmented_sum", "softmax"};
// The compiler spills a few values although it has registers left.
constexpr std::int64_t kFewBytes = 64;

// One configuration of one problem, with what it launches.
struct Sampled {
  Config config;
  Problem problem;
  ProgramPlan program;
  std::string str() const { return problem.str() + ", " + config.str(); }
};

class TemplateResources : public testing::TestWithParam<std::tuple<std::string, std::string_view>> {
 protected:
  void SetUp() override {
    device_ = made_up_gpu(std::string(std::get<1>(GetParam())));
    auto compiler = open_cuda_compiler({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    if (!has_architecture()) GTEST_SKIP() << "this machine's NVRTC has no " << device_.architecture;
    compiler_ = std::move(*compiler);
    auto definition = read_space_file(std::get<0>(GetParam()), {.device_kind = "cuda"});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    definition_ = *std::move(definition);
    if (definition_.kernel.language != Language::cuda) GTEST_SKIP() << "no code for a GPU";
  }

  bool has_architecture() const {
    const auto nvrtc = Nvrtc::open({});
    if (!nvrtc) return false;
    return std::ranges::any_of(nvrtc->architectures(), [this](int architecture) {
      return "sm_" + std::to_string(architecture) == device_.architecture;
    });
  }

  bool depends_on_the_architecture() const {
    return std::ranges::any_of(definition_.constraints, [](const Constraint& constraint) {
      return std::ranges::any_of(constraint.condition.names(),
                                 [](const auto& use) { return use.name == "device.architecture"; });
    });
  }

  // Values without a valid configuration on a GPU of the architecture.
  std::vector<std::string> unseen_on(std::string_view architecture) const {
    const DeviceInfo device = made_up_gpu(std::string(architecture));
    const NamedValues attributes = device.attributes();
    CoveringSample sample(definition_.parameters);
    for (const Problem& problem : problems_of(definition_.kernel)) {
      Scope scope;
      scope.add(problem).add(attributes, "device.");
      (void)sample.cover(with_device_limits(definition_.constraints, definition_.kernel, device), scope,
                         CoveringSample::Depth::values);
    }
    return sample.unseen();
  }

  // Another GPU has to run a value that this one does not run.
  void expect_that_another_gpu_runs(const std::string& value) const {
    EXPECT_TRUE(std::ranges::any_of(kArchitectures,
                                    [&](std::string_view architecture) {
                                      const auto unseen = unseen_on(architecture);
                                      return std::ranges::find(unseen, value) == unseen.end();
                                    }))
        << "no GPU has a valid configuration with " << value;
  }

  // Configurations with each value of each parameter and with each problem, divided among the architectures
  // if all of these have the same.
  std::vector<Sampled> samples() {
    std::vector<Sampled> all;
    std::vector<Config> known;
    const auto constraints = with_device_limits(definition_.constraints, definition_.kernel, device_);
    const NamedValues attributes = device_.attributes();
    const auto architecture = static_cast<std::size_t>(
        std::ranges::find(kArchitectures, device_.architecture) - std::begin(kArchitectures));
    const bool is_divided = !depends_on_the_architecture();
    std::size_t count = 0;
    CoveringSample sample(definition_.parameters);
    for (const Problem& problem : problems_of(definition_.kernel)) {
      Scope scope;
      scope.add(problem).add(attributes, "device.");
      const auto configs = sample.cover(constraints, scope, CoveringSample::Depth::values);
      EXPECT_TRUE(configs.ok()) << problem.str() << ": " << configs.error().message;
      if (!configs) continue;
      for (const Config& config : *configs) {
        const bool is_first = &config == configs->data();
        if (!is_first && std::ranges::find(known, config) != known.end()) continue;
        known.push_back(config);
        if (is_divided && count++ % std::size(kArchitectures) != architecture) continue;
        auto plan = resolve(definition_.kernel, config, problem, device_);
        all.push_back({config, problem, std::move(plan->candidate)});
      }
    }
    for (const std::string& value : sample.unseen()) expect_that_another_gpu_runs(value);
    return all;
  }

  std::vector<CompiledVariant> compile(const std::vector<Sampled>& samples) {
    std::vector<SourcePlan> sources;
    for (const auto& sampled : samples) sources.push_back(sampled.program.source);
    return compiler_->compile({std::move(sources), device_.architecture, folder_.path("cache")});
  }

  void expect_that_it_fits(const Sampled& sampled, const StepPlan& step, const KernelResources& made) {
    const std::int64_t threads = step.block[0] * step.block[1] * step.block[2];
    const std::int64_t rounded = (made.registers + kRegisterStep - 1) / kRegisterStep * kRegisterStep;
    EXPECT_GE(made.registers, 1);
    EXPECT_LE(made.registers, kMostRegisters);
    EXPECT_LE(rounded * threads, device_.registers_per_block) << "registers for " << threads << " threads";
    EXPECT_LE(made.static_shared_bytes + step.shared_bytes, device_.shared_bytes_per_block_optin);
    const std::string kernel = step.entry.substr(0, step.entry.find('<'));
    if (made.spill_bytes == 0) return;
    spilling_.push_back(sampled.str() + ": " + std::to_string(made.spill_bytes) + " bytes");
    EXPECT_TRUE(kMaySpill.contains(kernel)) << made.spill_bytes << " bytes";
    if (made.spill_bytes <= kFewBytes) return;
    // It may have no more.
    EXPECT_GE(rounded, std::min<std::int64_t>(kMostRegisters, device_.registers_per_block / threads))
        << made.spill_bytes << " bytes";
  }

  DeviceInfo device_;
  std::unique_ptr<Compiler> compiler_;
  Definition definition_;
  ScratchFolder folder_;
  std::vector<std::string> spilling_;
};

TEST_P(TemplateResources, fit_the_gpu_in_every_way_of_the_template) {
  const std::vector<Sampled> all = samples();
  const auto compiled = compile(all);
  std::map<std::string, CompiledModule> modules;
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].str());
    const auto& [status, log, module, seconds, from_cache] = compiled[i];
    ASSERT_EQ(status, Status::ok) << log;
    EXPECT_EQ(log, "");
    if (!modules.contains(module.path)) modules.emplace(module.path, read_module(module.path).value());
    const auto& kernels = modules.at(module.path).kernels;
    const auto& entries = all[i].program.source.entries;
    for (const StepPlan& step : all[i].program.steps) {
      if (step.entry.empty()) continue;
      SCOPED_TRACE(step.entry);
      const auto entry = static_cast<std::size_t>(std::ranges::find(entries, step.entry) - entries.begin());
      const auto made = std::ranges::find(kernels, module.symbols.at(entry), &KernelResources::symbol);
      ASSERT_NE(made, kernels.end()) << module.symbols[entry];
      expect_that_it_fits(all[i], step, *made);
    }
  }
  std::cout << spilling_.size() << " of " << all.size() << " configurations spill\n";
  for (const std::string& each : spilling_) std::cout << "  " << each << '\n';
}

std::string test_name(const testing::TestParamInfo<TemplateResources::ParamType>& test) {
  const auto& [space, architecture] = test.param;
  return std::filesystem::path(space).stem().string() + "_for_" + std::string(architecture);
}

INSTANTIATE_TEST_SUITE_P(Spaces, TemplateResources,
                         testing::Combine(testing::ValuesIn(portable_spaces()),
                                          testing::ValuesIn(kArchitectures)),
                         test_name);

}  // namespace
}  // namespace gktune
