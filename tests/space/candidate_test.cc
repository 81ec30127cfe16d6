// Candidates: sources that begin with a block in the language of space files.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr const char* kSpace = R"(kernel: twice
source: twice.cu
problem: {n: [1000, 4000]}
parameters: {width: {values: [64, 128], default: 64}}
constraints: [n >= 10, width <= n]
metrics: {ratio: width / time_s}
arguments:
  in: {type: float, extent: n, init: {uniform: [0, 1], seed: 1}}
  out: {type: float, extent: n, role: out, check: {absolute: width / 1e9}}
  partial: {type: float, extent: width, role: scratch}
  n: {type: int32, value: n}
launches: {entry: twice, grid: 1, block: width, arguments: [in, out, n]}
reference:
  launches: {entry: twice_reference, arguments: [in, out, n]}
)";
constexpr const char* kSource = R"(
__global__ void twice(const float* in, float* out, int n) {}
__global__ void twice_reference(const float* in, float* out, int n) { int w = width; }
)";
constexpr const char* kKernel = "__global__ void mine(const float* in, float* out, int n) {}\n";
constexpr const char* kLaunch = "launches: {entry: mine, block: 32, arguments: [in, out, n]}\n";

std::string with(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

class Candidates : public ::testing::Test {
 protected:
  Candidates() {
    folder_.write("twice.yaml", kSpace);
    folder_.write("twice.cu", kSource);
  }

  Definition space() const {
    auto read = read_space_file(folder_.path("twice.yaml"), {.device_kind = "host"});
    EXPECT_TRUE(read.ok()) << read.error()[0].str();
    return *std::move(read);
  }

  Result<Definition, std::vector<Diagnostic>> read(const std::string& text,
                                                   const std::string& name = "mine.cu") {
    folder_.write(name, text);
    return read_candidate_file(folder_.path(name), space(), {.device_kind = "host"});
  }
  static std::string with_block(const std::string& block) { return "/* gktune\n" + block + "*/\n" + kKernel; }

  // "3:7 unknown name 'm'" for each error.
  std::vector<std::string> errors_of(const std::string& text, const std::string& name = "mine.cu") {
    const auto candidate = read(text, name);
    if (candidate) return {};
    std::vector<std::string> errors;
    for (const Diagnostic& each : candidate.error())
      errors.push_back(std::to_string(each.line) + ':' + std::to_string(each.column) + ' ' + each.message);
    return errors;
  }

  ScratchFolder folder_;
};

using Errors = std::vector<std::string>;

TEST_F(Candidates, a_candidate_has_its_own_source_launches_parameters_and_options) {
  const auto candidate =
      read(with_block("parameters: {tile: [1, 2]}\noptions: [-DFAST]\n" + std::string(kLaunch)));
  ASSERT_TRUE(candidate.ok()) << candidate.error()[0].str();
  const KernelDefinition& kernel = candidate->kernel;
  EXPECT_EQ(kernel.name, "twice");
  EXPECT_EQ(kernel.source_path, folder_.path("mine.cu"));
  EXPECT_EQ(kernel.parameter_names, std::vector<std::string>{"tile"});
  ASSERT_EQ(kernel.launches.size(), 1u);
  EXPECT_EQ(kernel.launches[0].entry.text, "mine");
  EXPECT_EQ(option_texts(kernel.options), std::vector<std::string>{"-DFAST"});
  EXPECT_EQ(problems_of(kernel), problems_of(space().kernel));
  EXPECT_TRUE(kernel.metrics.empty());
}

TEST_F(Candidates, the_block_may_follow_comments_of_one_line) {
  EXPECT_EQ(errors_of("// A licence.\n\n  // More.\n" + with_block(kLaunch)), Errors{});
}

TEST_F(Candidates, includes_are_found_beside_the_candidate) {
  folder_.write("own/mine.h", "template <class T> __device__ T twofold(T x) { return 2 * x; }\n");
  const std::string text = with_block(kLaunch) + "#include \"mine.h\"\n";
  const auto before = read(text, "own/mine.cu");
  ASSERT_TRUE(before.ok()) << before.error()[0].str();
  folder_.write("own/mine.h", "template <class T> __device__ T twofold(T x) { return x + x; }\n");
  EXPECT_NE(read(text, "own/mine.cu")->fingerprint, before->fingerprint);
}

TEST_F(Candidates, constraints_of_the_space_hold_unless_they_name_its_parameters) {
  const auto candidate = read(with_block("constraints: [n % 2 == 0]\n" + std::string(kLaunch)));
  ASSERT_TRUE(candidate.ok());
  std::vector<std::string> texts;
  for (const Constraint& each : candidate->constraints) texts.push_back(each.condition.text());
  EXPECT_EQ(texts, (std::vector<std::string>{"n >= 10", "n % 2 == 0"}));
}

TEST_F(Candidates, a_source_without_a_block_says_how_to_write_one) {
  for (const std::string& text :
       {std::string(), std::string(kKernel), "/* Another comment. */\n" + with_block(kLaunch),
        std::string("/* gktune\nlaunches: {}\n"), std::string("/* gktune launches: */")}) {
    EXPECT_EQ(errors_of(text), Errors{"1:1 the source does not begin with a block of gktune"}) << text;
  }
}

TEST_F(Candidates, errors_have_their_places_in_the_source) {
  EXPECT_EQ(
      errors_of("// First.\n" +
                with_block("lunches: 1\nlaunches: {entry: mine, grid: m, arguments: [in, out, n]}\n")),
      (Errors{"3:1 unknown key 'lunches' in candidate, did you mean 'launches'?", "4:31 unknown name 'm'"}));
  EXPECT_EQ(errors_of(with_block("launches: [\n")).size(), 1u);
  EXPECT_EQ(errors_of(with_block("")), Errors{"1:10 candidate must be a map; found nothing"});
}

TEST_F(Candidates, a_candidate_cannot_change_what_judges_it) {
  for (const std::string key : {"reference", "verify", "problem", "check", "time_limit", "regime", "kernel",
                                "source", "include", "environment", "host", "metrics"}) {
    const Errors errors = errors_of(with_block(key + ": 1\n" + kLaunch));
    EXPECT_TRUE(std::ranges::any_of(errors, [&](const std::string& each) {
      return each.starts_with("2:1 unknown key '" + key + "' in candidate");
    })) << key;
  }
  EXPECT_EQ(errors_of(with_block("arguments: {out: {type: float, extent: 1, role: scratch}}\n" +
                                 std::string(kLaunch))),
            Errors{"2:13 the space has an argument 'out' already"});
  const std::string wrong = "2:13 a candidate's own argument is scratch memory";
  EXPECT_EQ(errors_of(with_block("arguments: {own: {type: float, value: 1}}\n" + std::string(kLaunch))),
            Errors{wrong});
  const Errors input = errors_of(
      with_block("arguments: {own: {type: float, extent: n, init: zero}}\n" + std::string(kLaunch)));
  EXPECT_EQ(input, Errors{wrong});
}

TEST_F(Candidates, a_candidate_cannot_take_a_file_that_only_the_reference_takes) {
  const std::string with_file =
      with(kSpace, "  n: {", "  expected: {type: float, extent: n, init: {file: x.npy}}\n  n: {");
  folder_.write("twice.yaml",
                with(with_file, "twice_reference, arguments: [in,", "copy, arguments: [expected,"));
  folder_.write("twice.cu",
                std::string(kSource) + "__global__ void copy(const float* in, float* out, int n) {}\n");
  EXPECT_EQ(errors_of(with_block(kLaunch)), Errors{});
  const Errors refused{"2:1 a candidate cannot take 'expected'"};
  EXPECT_EQ(errors_of(with_block("launches: {entry: mine, block: 32, arguments: [expected, out, n]}\n")),
            refused);
  EXPECT_EQ(errors_of(with_block(
                "launches: {entry: mine, block: 32, arguments: [in, out, n]}\nsetup: {once: {entry: "
                "mine, arguments: [expected, out, n]}}\n")),
            refused);
}

TEST_F(Candidates, a_candidate_may_take_a_file_that_the_kernel_of_the_space_takes) {
  folder_.write("twice.yaml", with(kSpace, "init: {uniform: [0, 1], seed: 1}", "init: {file: x.npy}"));
  EXPECT_EQ(errors_of(with_block(kLaunch)), Errors{});
}

TEST_F(Candidates, a_candidate_has_to_launch_every_output) {
  const std::string launch = "launches: {entry: mine, block: 32, arguments: [in, in, n]}\n";
  EXPECT_TRUE(
      contains(errors_of(with_block(launch)).at(0), "no launch has the output 'out' among its arguments"));
  EXPECT_EQ(errors_of(with_block("constraints: []\n")).at(0), "2:1 missing key 'launches' in candidate");
}

TEST_F(Candidates, unsafe_options_are_refused) {
  const Errors errors = errors_of(with_block("options: [-fplugin=evil.so]\n" + std::string(kLaunch)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(errors[0].starts_with("2:11 ")) << errors[0];
}

TEST_F(Candidates, host_code_is_untrusted_and_runs_apart) {
  const std::string block = "language: host\nlaunches: {entry: mine, arguments: [in, out, n]}\n";
  const std::string function = "void mine(const float* in, float* out, int n) {}\n";
  const auto candidate = read("/* gktune\n" + block + "*/\n" + function, "mine.cc");
  ASSERT_TRUE(candidate.ok()) << candidate.error()[0].str();
  EXPECT_TRUE(candidate->kernel.is_untrusted_host_code());
  DeviceInfo device;
  device.kind = "cuda";
  const auto plan = resolve(candidate->kernel, {}, {{"n", 1000}}, device);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->runs_apart);
  EXPECT_EQ(plan->candidate.source.language, Language::host);
  EXPECT_EQ(plan->reference.source.language, Language::cuda);
  const auto kernels = read(with_block(kLaunch));
  ASSERT_TRUE(kernels.ok());
  EXPECT_FALSE(kernels->kernel.is_untrusted_host_code());
}

TEST_F(Candidates, the_language_of_a_candidate_fits_that_of_the_space) {
  const Errors functions = {"2:1 a candidate of language c++ does not fit a space of language cuda"};
  EXPECT_EQ(errors_of(with_block(kLaunch), "mine.cc"), functions);
  const Errors command = {"2:1 a candidate of language command does not fit a space of language cuda"};
  EXPECT_EQ(errors_of(with_block("language: command\n" + std::string(kLaunch))), command);
  EXPECT_EQ(errors_of(with_block("language: fortran\n" + std::string(kLaunch))).size(), 1u);
}

TEST_F(Candidates, a_missing_file_is_an_error) {
  const auto candidate = read_candidate_file(folder_.path("absent.cu"), space());
  ASSERT_FALSE(candidate.ok());
  EXPECT_EQ(candidate.error()[0].line, 0u);
}

TEST_F(Candidates, parameters_of_a_candidate_do_not_change_the_arguments_of_the_space) {
  const auto candidate = read(with_block(
      "parameters: {width: [1000000]}\narguments: {own: {type: double, extent: width, role: scratch}}\n"
      "launches: {entry: mine, block: 32, arguments: [in, out, n]}\n"));
  ASSERT_TRUE(candidate.ok()) << candidate.error()[0].str();
  DeviceInfo device;
  device.kind = "host";
  const Problem problem = {{"n", 1000}};
  const auto plan = resolve(candidate->kernel, {{"width", 1000000}}, problem, device);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  KernelDefinition own = space().kernel;
  pad_arguments(own, candidate->kernel.arguments.size());
  const auto by_space = resolve(own, own.default_values, problem, device);
  ASSERT_TRUE(by_space.ok()) << by_space.error().message;
  EXPECT_EQ(plan->arguments[1], by_space->arguments[1]);
  EXPECT_EQ(plan->arguments[1].tolerance.absolute, 64 / 1e9);
  EXPECT_EQ(plan->arguments[2].count, 64u);
  EXPECT_EQ(plan->arguments[4].count, 1000000u);
  // The reference is that of the space, with its parameters' defaults: both share buffers.
  EXPECT_EQ(plan->reference, by_space->reference);
  EXPECT_EQ(plan->reference.source.path, folder_.path("twice.cu"));
  EXPECT_TRUE(are_of_one_problem(plan->arguments, by_space->arguments, plan->reference, plan->verifier));
}

TEST_F(Candidates, the_default_configuration_of_the_space_can_be_the_reference) {
  std::string space = kSpace;
  space.replace(space.find("reference:"), std::string::npos, "reference: default\n");
  folder_.write("twice.yaml", space);
  const auto candidate =
      read(with_block("arguments: {own: {type: double, extent: n, role: scratch}}\n" + std::string(kLaunch)));
  ASSERT_TRUE(candidate.ok()) << candidate.error()[0].str();
  DeviceInfo device;
  device.kind = "host";
  const auto plan = resolve(candidate->kernel, {}, {{"n", 1000}}, device);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_FALSE(plan->reference_error) << *plan->reference_error;
  EXPECT_EQ(plan->reference.steps.at(0).entry, "twice");
  EXPECT_EQ(plan->reference_limit_s, plan->time_limit_s);
  EXPECT_EQ(plan->reference.source.path, folder_.path("twice.cu"));
}

}  // namespace
}  // namespace gktune
