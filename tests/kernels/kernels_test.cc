// Each space file of this folder: all kernels compile for a GPU; those that can run on the host are right
// there, in their first configuration under the sanitizer, which finds nothing, and in their last one
// without. The beginning of a file's name says what its kernels need.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/scratch_folder.h"
#include "tests/templates/made_up_gpu.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"
#include "tuner/space/solver/space.h"
#include "tuner/space/space_file.h"
#ifdef GKTUNE_WITH_CUDA
#include "tuner/device/cuda/compile/toolkit.h"
#endif

namespace gktune {
namespace {

namespace fs = std::filesystem;

// One configuration of one kernel for one problem.
struct Case {
  std::string name;
  Plan plan;
};

DeviceInfo device_of(const std::string& kind) {
  DeviceInfo info = made_up_gpu("sm_90");
  info.kind = kind;
  return info;
}

enum class Which { first, last };

// The test fails if there is none.
std::optional<Config> configuration(const Definition& definition, const Problem& problem,
                                    const DeviceInfo& device, Which which) {
  const NamedValues attributes = device.attributes();
  Scope scope;
  scope.add(problem).add(attributes, "device.");
  const auto space = Space::build(
      definition.parameters, with_device_limits(definition.constraints, definition.kernel, device), scope);
  EXPECT_TRUE(space.ok()) << definition.path << ": no valid configuration";
  if (!space) return std::nullopt;
  return space->at(which == Which::first ? Count(0) : space->size() - Count(1));
}

// Sources that differ in their entries alone become one source with all of these: it is compiled once.
void share_sources(std::vector<Case>& cases) {
  std::vector<SourcePlan> shared;
  std::vector<std::pair<SourcePlan*, std::size_t>> users;
  for (Case& each : cases) {
    for (SourcePlan* source : {&each.plan.candidate.source, &each.plan.reference.source}) {
      if (source->entries.empty()) continue;
      SourcePlan same = *source;
      auto found = std::ranges::find_if(shared, [&](const SourcePlan& other) {
        same.entries = other.entries;
        return same == other;
      });
      if (found == shared.end()) {
        users.emplace_back(source, shared.size());
        shared.push_back(*source);
        continue;
      }
      users.emplace_back(source, static_cast<std::size_t>(found - shared.begin()));
      for (const std::string& entry : source->entries) {
        if (std::ranges::find(found->entries, entry) == found->entries.end()) found->entries.push_back(entry);
      }
    }
  }
  for (const auto& user : users) *user.first = shared[user.second];
}

constexpr std::string_view kNothing, kGpu = "gpu_", kToolkit = "toolkit_";  // the headers of the CUDA toolkit

std::string_view need_of(std::string_view name) {
  return name.starts_with(kGpu) ? kGpu : name.starts_with(kToolkit) ? kToolkit : kNothing;
}

std::vector<Case> cases(const std::string& kind, std::string_view need, Which which) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(GKTUNE_SOURCE_DIR "/tests/kernels")) {
    const bool is_space = entry.path().extension() == ".yaml";
    if (is_space && need_of(entry.path().filename().string()) == need) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  const DeviceInfo device = device_of(kind);
  std::vector<Case> all;
  for (const fs::path& path : paths) {
    const auto definition = read_space_file(path.string(), {.device_kind = kind, .strategies = {}});
    EXPECT_TRUE(definition.ok()) << definition.error().front().str();
    if (!definition) continue;
    for (const Diagnostic& warning : definition->warnings) ADD_FAILURE() << warning.str();
    for (const Problem& problem : problems_of(definition->kernel)) {
      const auto config = configuration(*definition, problem, device, which);
      if (!config) continue;
      auto plan = resolve(definition->kernel, *config, problem, device);
      const std::string name = path.stem().string() + ' ' + problem.str() + ' ' + config->str();
      EXPECT_TRUE(plan.ok()) << name << ": " << plan.error().message;
      if (plan) all.push_back({name, *std::move(plan)});
    }
  }
  share_sources(all);
  return all;
}

// Lists the sources of the candidates, then those of the references.
std::vector<SourcePlan> sources_of(const std::vector<Case>& cases) {
  std::vector<SourcePlan> sources;
  for (const Case& each : cases) sources.push_back(each.plan.candidate.source);
  for (const Case& each : cases) sources.push_back(each.plan.reference.source);
  return sources;
}

#ifdef GKTUNE_WITH_CUDA
TEST(Kernels, compile_for_sm_90) {
  auto compiler = open_cuda_compiler({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  ScratchFolder folder;
  for (const std::string_view need : {kNothing, kToolkit, kGpu}) {
    std::vector<SourcePlan> sources;
    for (const SourcePlan& source : sources_of(cases("cuda", need, Which::first))) {
      if (!source.entries.empty() && std::ranges::find(sources, source) == sources.end())
        sources.push_back(source);
    }
    const auto compiled = (*compiler)->compile({sources, "sm_90", folder.path("cache")});
    for (std::size_t i = 0; i < compiled.size(); ++i)
      EXPECT_EQ(compiled[i].status, Status::ok) << sources[i].entries.front() << '\n' << compiled[i].log;
  }
}
#endif

// Runs each case, and expects no complaint.
void expect_all_right(const std::string& cxx, Instrumentation instrumentation, std::vector<Case> all) {
  for (Case& each : all) each.plan.candidate.source.instrumentation = instrumentation;
  HostCompiler compiler(cxx);
  const auto compiled = compiler.compile({sources_of(all), "", GKTUNE_TEST_CACHE});
  DeviceRunner runner(make_host_device(std::size_t{1} << 20));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CompiledVariant& candidate = compiled[i];
    const CompiledVariant& reference = compiled[all.size() + i];
    ASSERT_EQ(candidate.status, Status::ok) << all[i].name << '\n' << candidate.log;
    RunJob job;
    job.plan = all[i].plan;
    job.candidate = candidate.module;
    job.reference = reference.module;
    job.check_only = true;
    job.seed = i + 1;
    const RunReply reply = runner.run(job);
    EXPECT_EQ(reply.status, Status::ok)
        << all[i].name << ": " << status_name(reply.status) << ": " << reply.message;
  }
}

TEST(Kernels, are_right_on_the_host) {
  expect_all_right("c++", Instrumentation::none, cases("host", kNothing, Which::last));
}

TEST(SanitizedKernels, have_no_findings) {
  if (!HostCompiler::version("g++")) GTEST_SKIP() << "this machine has no g++";
  expect_all_right("g++", Instrumentation::sanitize, cases("host", kNothing, Which::first));
}

TEST(Kernels, are_right_on_the_host_with_headers_of_the_toolkit) {
  if (toolkit_include_dirs({}).empty()) GTEST_SKIP() << "this machine has no headers of the CUDA toolkit";
  expect_all_right("c++", Instrumentation::none, cases("host", kToolkit, Which::last));
  if (!HostCompiler::version("g++")) GTEST_SKIP() << "this machine has no g++";
  expect_all_right("g++", Instrumentation::sanitize, cases("host", kToolkit, Which::first));
}

TEST(Kernels, are_refused_in_one_line_if_they_need_a_gpu) {
  const std::vector<Case> all = cases("host", kGpu, Which::first);
  ASSERT_FALSE(all.empty());
  HostCompiler compiler("c++");
  for (const Case& each : all) {
    const auto compiled = compiler.compile({{each.plan.candidate.source}, "", GKTUNE_TEST_CACHE});
    EXPECT_EQ(compiled[0].status, Status::compile_failed) << each.name;
    EXPECT_EQ(std::ranges::count(compiled[0].log, '\n'), 1) << compiled[0].log;
    EXPECT_NE(compiled[0].log.find("cannot run on the host device"), std::string::npos) << compiled[0].log;
  }
}

}  // namespace
}  // namespace gktune
