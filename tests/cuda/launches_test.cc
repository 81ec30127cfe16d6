// The spaces of tests/kernels/launches, compiled for a GPU that is not there.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tests/host/conformance.h"
#include "tests/scratch_folder.h"
#include "tests/templates/made_up_gpu.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/cuda/device_kernels.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

TEST(CudaLaunches, the_kernels_of_the_tuner_compile) {
  const auto nvrtc = Nvrtc::open({});
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  const auto cubin = compile_device_kernels(*nvrtc, "sm_90");
  EXPECT_TRUE(cubin.ok()) << cubin.error().message;
}

TEST(CudaLaunches, the_kernels_of_the_tuner_are_built_in) {
  const std::string_view built = built_device_kernels();
  if (built.empty()) GTEST_SKIP() << "gktune was built without nvcc";
  EXPECT_TRUE(built.starts_with("\x50\xed\x55\xba")) << "it is no fat binary";
  EXPECT_NE(built.find("sm_90"), std::string_view::npos);
}

TEST(CudaLaunches, every_space_compiles_with_its_variables) {
  auto compiler = open_cuda_compiler({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  const DeviceInfo device = made_up_gpu("sm_90");
  std::map<std::string, CompileJob> jobs;  // by source: variants of one are compiled together
  const ScratchFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(GKTUNE_SOURCE_DIR "/tests/kernels/launches")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto definition = read_space_file(entry.path().string(), {.device_kind = "cuda"});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    if (definition->kernel.language == Language::host) continue;  // see nvcc_compiler_test.cc
    Config config;
    for (const Parameter& parameter : definition->parameters)
      config.set(parameter.name, parameter.values.back());
    const Axis& axis = definition->kernel.axes.at(0);
    for (const Value& value : axis.values) {
      const auto plan = resolve(definition->kernel, config, {{axis.name, value}}, device);
      CompileJob& job = jobs[plan->candidate.source.path];
      job.architecture = "sm_90";
      job.cache_dir = folder.path("cache");
      for (const ProgramPlan* program : {&plan->candidate, &plan->reference, &plan->verifier}) {
        if (program->has_steps()) job.variants.push_back(program->source);
      }
    }
  }
  int variables = 0;
  for (const auto& [path, job] : jobs) {
    const auto compiled = (*compiler)->compile(job);
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      EXPECT_EQ(compiled[i].status, Status::ok) << path << ":\n" << compiled[i].log;
      ASSERT_EQ(compiled[i].module.symbols.size(), job.variants[i].entries.size()) << path;
      for (std::size_t k = 0; k < job.variants[i].entries.size(); ++k) {
        EXPECT_FALSE(compiled[i].module.symbols[k].empty()) << job.variants[i].entries[k];
        if (job.variants[i].entries[k].starts_with('&')) ++variables;
      }
    }
  }
  EXPECT_GE(variables, 3);
}

TEST(ConformanceKernels, compile_for_a_gpu) {
  auto compiler = open_cuda_compiler({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  const ScratchFolder folder;
  for (const std::string& file : conformance_files()) {
    const std::vector<CompiledVariant> compiled =
        (*compiler)->compile({{conformance_source(file)}, "sm_90", folder.path("cache")});
    EXPECT_EQ(compiled.at(0).status, Status::ok) << file << ": " << compiled[0].log;
  }
}

}  // namespace
}  // namespace gktune
