// Host code (`language: host`) on the host device.
#include <gtest/gtest.h>

#include "tests/expectations.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr const char* kLauncher = R"cpp(
#include <stdexcept>
  enum class Outcome { good, bad, worse };
  template <class T>
  Outcome scale(const T* in, T* out, const int& way, int n, struct CUstream_st* stream) {
    if (way == 1) throw std::runtime_error("no more elephants");
    if (way == 2) return Outcome::worse;
    for (int i = 0; i < n; ++i) out[i] = (stream == nullptr ? 2 : 3) * in[i] + (way == 3);
    return Outcome::good;
  }
  extern "C" void scale_plainly(const double* in, double* out, int n) {
    for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  }
)cpp";

constexpr const char* kLauncherSpace = R"yaml(
kernel: scale
language: host
source: scale.cc
problem: {n: [1000]}
parameters: {way: [0, 1, 2, 3]}
options: [--expt-relaxed-constexpr]
arguments:
  in: {type: double, extent: n, init: {normal: [0, 1]}}
  out: {type: double, extent: n, role: out, check: {ulp: 1}}
  way: {type: int, value: way}
  n: {type: int, value: n}
launches: {entry: scale<double>}
reference: {launches: {entry: scale_plainly, arguments: [in, out, n]}}
)yaml";

class Launcher : public testing::Test {
 protected:
  static Plan plan_of(int way) {
    const auto definition =
        read_space_text(kLauncherSpace, "test.yaml", {.device_kind = "host"},
                        [](const std::string&) -> Result<std::string> { return std::string(kLauncher); });
    EXPECT_TRUE(definition.ok()) << definition.error().front().str();
    DeviceInfo device;
    device.kind = "host";
    auto plan = resolve(definition->kernel, {{"way", way}}, {{"n", 1000}}, device);
    return *std::move(plan);
  }
  CompiledVariant compiled(const SourcePlan& source) {
    return compiler_.compile({{source}, "", GKTUNE_TEST_CACHE}).at(0);
  }
  RunReply run(const Plan& plan) {
    RunJob job;
    job.plan = plan;
    for (const auto& [source, module] : {std::pair(&plan.candidate.source, &job.candidate),
                                         std::pair(&plan.reference.source, &job.reference)}) {
      const CompiledVariant variant = compiled(*source);
      EXPECT_EQ(variant.status, Status::ok) << variant.log;
      *module = variant.module;
    }
    return runner_.run(job);
  }

  HostCompiler compiler_{"c++"};
  DeviceRunner runner_{make_host_device(std::size_t{1} << 20)};
};

TEST_F(Launcher, is_checked_and_timed_without_a_stream) {
  const RunReply reply = run(plan_of(0));
  EXPECT_EQ(reply.status, Status::ok) << reply.message;
  EXPECT_GT(reply.timing.median_us, 0);
  EXPECT_EQ(run(plan_of(3)).status, Status::wrong_result);
}

TEST_F(Launcher, fails_if_it_throws_or_returns_an_error) {
  RunReply reply = run(plan_of(1));
  EXPECT_TRUE(ended(reply, Status::launch_failed, "it threw: no more elephants"));
  reply = run(plan_of(2));
  EXPECT_TRUE(ended(reply, Status::launch_failed, "it returned the error code 2"));
}

TEST_F(Launcher, gets_the_options_of_the_host) { EXPECT_TRUE(plan_of(0).candidate.source.options.empty()); }

TEST_F(Launcher, is_refused_with_a_wrong_number_of_arguments) {
  Plan plan = plan_of(0);
  plan.candidate.steps.at(0).arguments.pop_back();
  EXPECT_EQ(run(plan).message, "scale<double> has 4 parameters and is given 3 arguments");
}

TEST_F(Launcher, is_refused_in_one_line_if_it_is_cuda) {
  SourcePlan source = plan_of(0).candidate.source;
  source.path = "scale.cu";
  const CompiledVariant variant = compiled(source);
  EXPECT_EQ(variant.status, Status::compile_failed);
  EXPECT_EQ(variant.log, "scale.cu: error: host code in CUDA C++ cannot run on the host device\n");
}

TEST_F(Launcher, is_refused_in_one_line_if_its_function_is_missing) {
  SourcePlan source = plan_of(0).candidate.source;
  source.entries = {"scal<double>"};
  EXPECT_EQ(compiled(source).log, "scale.cc has no function 'scal', did you mean 'scale'?\n");
}

}  // namespace
}  // namespace gktune
