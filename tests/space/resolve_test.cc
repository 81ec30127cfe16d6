#include <gtest/gtest.h>

#include <algorithm>

#include "reduce_example.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

Config config() { return {{"threadsPerBlock", 256}, {"batchSize", 4}, {"way", "two_pass"}, {"hint", true}}; }
Problem problem() { return {{"T", "float"}, {"n", 1 << 20}, {"distribution", "even"}}; }
DeviceInfo device() {
  DeviceInfo info;
  info.kind = "cuda";
  info.max_threads_per_block = 1024;
  info.max_block_x = 1024;
  info.max_grid_x = 2147483647;
  info.shared_bytes_per_block_optin = 48 << 10;
  return info;
}

Plan plan_of(const Config& c = config(), const Problem& p = problem(), const DeviceInfo& d = device()) {
  const auto plan = resolve(read_reduce().kernel, c, p, d);
  if (plan) return *plan;
  ADD_FAILURE() << plan.error().message;
  return {};
}

TEST(Resolve, parameters_and_texts_of_the_problem_become_macros) {
  const auto macros = plan_of().candidate.source.macros;
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"T", "float"},     {"DISTRIBUTION", "even"}, {"threadsPerBlock", "256"},
      {"batchSize", "4"}, {"way", "two_pass"},      {"hint", "true"}};
  EXPECT_EQ(macros, expected);
}

TEST(Resolve, a_name_that_the_source_declares_does_not_become_a_macro) {
  auto files = kReduceFiles;
  files["templates/reduce.h"] = "template <class T> __device__ void f(int batchSize) {}\n";
  const auto read = read_space_text(kReduceSpace, "spaces/reduce.yaml", {}, files_of(files));
  const auto plan = resolve(read->kernel, config(), problem(), device());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"DISTRIBUTION", "even"}, {"threadsPerBlock", "256"}, {"way", "two_pass"}, {"hint", "true"}};
  EXPECT_EQ(plan->candidate.source.macros, expected);
  EXPECT_EQ(plan->candidate.steps[0].entry, "reduce<float, 256>");
  EXPECT_EQ(plan->reference.source.macros,
            (std::vector<std::pair<std::string, std::string>>{{"T", "float"}, {"DISTRIBUTION", "even"}}));
}

TEST(Resolve, names_in_template_arguments_are_replaced) {
  const auto plan = plan_of();
  ASSERT_EQ(plan.candidate.steps.size(), 2u);
  EXPECT_EQ(plan.candidate.steps[0].entry, "reduce<float, 256>");
  EXPECT_EQ(plan.candidate.source.entries, (std::vector<std::string>{"reduce<float, 256>", "finish"}));
  EXPECT_EQ(plan.reference.source.entries, (std::vector<std::string>{"reference_sum<float>"}));
}

TEST(Resolve, geometry_is_evaluated_to_numbers) {
  const auto step = plan_of().candidate.steps[0];
  EXPECT_EQ(step.grid, (std::array<std::int64_t, 3>{1024, 1, 1}));
  EXPECT_EQ(step.block, (std::array<std::int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(step.shared_bytes, 1024);
  EXPECT_EQ(step.arguments, (std::vector<int>{0, 1, 3}));
}

TEST(Resolve, steps_whose_condition_fails_are_left_out) {
  Config one_pass = config();
  one_pass.set("way", "one_pass");
  const auto plan = plan_of(one_pass);
  ASSERT_EQ(plan.candidate.steps.size(), 2u);
  EXPECT_EQ(plan.candidate.steps[0].fill_argument, 1);
  EXPECT_EQ(plan.candidate.steps[1].entry, "reduce<float, 256>");
}

TEST(Resolve, a_reference_may_take_twenty_times_as_long_as_a_candidate) {
  const Plan plan = plan_of();
  EXPECT_EQ(plan.reference_limit_s, 20 * plan.time_limit_s);
}

TEST(Resolve, an_empty_grid_is_skipped) {
  Problem empty = problem();
  empty.set("n", 0);
  const auto plan = plan_of(config(), empty);
  ASSERT_EQ(plan.candidate.steps.size(), 1u);
  EXPECT_EQ(plan.candidate.steps[0].entry, "finish");
  EXPECT_EQ(plan.arguments[0].count, 0u);
  EXPECT_EQ(plan.candidate.source, plan_of().candidate.source);
}

TEST(Resolve, limits_that_are_unknown_do_not_count) {
  const std::string text =
      "kernel: k\nsource: k.cu\nlaunches: {entry: f, block: [2048, 2048], grid: 4Gi, shared: 1Gi}\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of({{"k.cu", ""}}));
  EXPECT_TRUE(resolve(read->kernel, {}, {}, {}).ok());
}

TEST(Resolve, contents_of_each_argument_have_their_own_seed) {
  const auto plan = plan_of();
  EXPECT_EQ(plan.arguments[0].contents.seed, 7u);
  EXPECT_EQ(plan.arguments[0].contents.a, -100);
  EXPECT_EQ(plan.arguments[0].contents.b, 100);
  const std::string text =
      "kernel: k\nsource: k.cu\nlaunches: {entry: f}\narguments:\n"
      "  a: {type: int, extent: 4, init: {uniform: [0, 9]}}\n  b: {type: int, extent: 4, init: {uniform: [0, "
      "9]}}\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of({{"k.cu", ""}}));
  const auto seeded = resolve(read->kernel, {}, {}, device());
  EXPECT_NE(seeded->arguments[0].contents.seed, seeded->arguments[1].contents.seed);
}

TEST(Resolve, outputs_that_the_reference_computes_are_checked) {
  const auto plan = plan_of();
  EXPECT_TRUE(plan.arguments[1].is_checked);
  EXPECT_EQ(plan.arguments[1].tolerance.relative, 1e-5);
  EXPECT_FALSE(plan.arguments[2].is_checked);
}

TEST(Resolve, the_reference_gets_no_parameters) {
  const auto reference = plan_of().reference;
  const std::vector<std::pair<std::string, std::string>> macros = {{"T", "float"}, {"DISTRIBUTION", "even"}};
  EXPECT_EQ(reference.source.macros, macros);
  EXPECT_EQ(reference.source.path, "templates/reference.cu");
  EXPECT_EQ(reference.source.options, (std::vector<std::string>{"-O3"}));
  ASSERT_EQ(reference.steps.size(), 1u);
  EXPECT_EQ(reference.steps[0].arguments, (std::vector<int>{0, 1, 3}));
}

TEST(Resolve, options_are_passed_if_their_condition_holds) {
  EXPECT_EQ(plan_of().candidate.source.options, (std::vector<std::string>{"-O3", "--maxrregcount=32"}));
  Config small = config();
  small.set("threadsPerBlock", 128);
  EXPECT_EQ(plan_of(small).candidate.source.options, (std::vector<std::string>{"-O3"}));
  DeviceInfo host = device();
  host.kind = "host";
  EXPECT_EQ(plan_of(config(), problem(), host).candidate.source.options,
            (std::vector<std::string>{"-march=native"}));
}

TEST(Resolve, macros_among_the_options_apply_on_the_host_too) {
  const auto options_on_host = [](const std::string& host_options) {
    const auto read = read_space_text(
        "kernel: k\nsource: k.cu\nparameters: {threads: [32, 64]}\n"
        "options: [-O3, '-DTILE={threads * 2}', -UOLD, --define-macro=NEW, {flag: -DWIDE, when: threads > "
        "32}, "
        "--use_fast_math]\n" +
            host_options + "launches: {entry: k}\nreference: {launches: {entry: r}}\n",
        "k.yaml", {}, files_of({{"k.cu", "__global__ void k() {}\n__global__ void r() {}\n"}}));
    DeviceInfo host = device();
    host.kind = "host";
    const auto plan = resolve(read->kernel, {{"threads", 32}}, {}, host);
    return std::pair(plan->candidate.source.options, plan->reference.source.options);
  };
  using Options = std::vector<std::string>;
  const auto [candidate, reference] = options_on_host("host_options: [-DTILE=1, -march=native]\n");
  EXPECT_EQ(candidate, (Options{"-DTILE=64", "-UOLD", "--define-macro=NEW", "-DTILE=1", "-march=native"}));
  EXPECT_EQ(reference, (Options{"-UOLD", "--define-macro=NEW", "-DTILE=1", "-march=native"}));
  EXPECT_EQ(options_on_host("").first, (Options{"-DTILE=64", "-UOLD", "--define-macro=NEW"}));
}

TEST(Resolve, cpp_functions_get_environment_variables) {
  const std::string text =
      "kernel: k\nsource: k.cc\nparameters: {threads: [1, 4]}\n"
      "environment: {OMP_NUM_THREADS: threads, OMP_PROC_BIND: \"'close'\"}\nlaunches: {entry: "
      "\"run_{threads}\"}\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of({{"k.cc", ""}}));
  const auto plan = resolve(read->kernel, {{"threads", 4}}, {}, device());
  const std::vector<std::pair<std::string, std::string>> settings = {{"OMP_NUM_THREADS", "4"},
                                                                     {"OMP_PROC_BIND", "close"}};
  EXPECT_EQ(plan->environment, settings);
  EXPECT_EQ(plan->candidate.steps[0].entry, "run_4");
}

TEST(Resolve, names_are_replaced_only_in_template_arguments) {
  const std::string text =
      "kernel: k\nsource: k.cu\nparameters: {a: [1], way: [x, y], r: [0.5], ok: [true]}\nlet: {twice: a * "
      "2}\n"
      "launches: {entry: \"a::way<a, aa, a::a, ns::way, way, r, ok, twice, {a + 40}, S<a>>\"}\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of({{"k.cu", ""}}));
  ASSERT_TRUE(read.ok()) << read.error()[0].str();
  const auto plan = resolve(read->kernel, {{"a", 1}, {"way", "y"}, {"r", 0.5}, {"ok", true}}, {}, device());
  EXPECT_EQ(plan->candidate.steps[0].entry, "a::way<1, aa, 1::a, ns::way, y, 0.5, true, 2, 41, S<1>>");
}

TEST(Resolve, power_is_measured_if_a_metric_uses_it) {
  EXPECT_FALSE(plan_of().measures_power);
  for (const std::string metric : {"J: energy_j", "W: 2 * power_w"}) {
    std::string text = kReduceSpace;
    text.replace(text.find("metrics: {"), 10, "metrics: {" + metric + ", ");
    const auto plan = resolve(read_reduce(text).kernel, config(), problem(), device());
    EXPECT_TRUE(plan->measures_power) << metric;
  }
}

// A kernel that a program compiles.
constexpr const char* kCommandSpace = R"(
kernel: k
source: k.py
language: command
command: python3 -O tools/compile.py --fast
problem: {T: [float], n: [100]}
parameters: {warps: [4, 8]}
arguments:
  x: {type: "{T}", extent: n, role: out}
  n: {type: int64, value: n}
launches: {entry: k, grid: n, block: 32}
reference: {source: r.cu, launches: {entry: r, arguments: [x, n]}}
)";
const std::map<std::string, std::string> kCommandFiles = {
    {"spaces/k.py", "n // 2"},
    {"spaces/r.cu", "__global__ void r(T* x, long n) {}"},
    {"spaces/tools/compile.py", "v1"}};

TEST(Resolve, a_program_that_compiles_is_told_the_configuration_and_gets_no_macros) {
  const auto read = read_space_text(kCommandSpace, "spaces/k.yaml", {}, files_of(kCommandFiles));
  ASSERT_TRUE(read.ok()) << read.error().front().str();
  const auto plan = resolve(read->kernel, {{"warps", 8}}, {{"T", "float"}, {"n", 100}}, device());
  const SourcePlan& source = plan->candidate.source;
  EXPECT_EQ(source.language, Language::command);
  EXPECT_EQ(source.command, (std::vector<std::string>{"python3", "-O", "spaces/tools/compile.py", "--fast"}));
  EXPECT_EQ(source.request, R"({"configuration":{"warps":8},"problem":{"T":"float","n":100},)"
                            R"("arguments":[{"name":"x","type":"float32","extent":100},)"
                            R"({"name":"n","type":"int64","value":100}]})");
  EXPECT_TRUE(source.macros.empty());
  EXPECT_EQ(plan->reference.source.language, Language::cuda);
  EXPECT_EQ(plan->reference.source.macros,
            (std::vector<std::pair<std::string, std::string>>{{"T", "float"}}));
}

TEST(Resolve, a_change_of_the_source_or_of_the_program_starts_a_new_study) {
  const auto fingerprint_with = [](const std::string& path, const std::string& text) {
    auto files = kCommandFiles;
    files[path] = text;
    return read_space_text(kCommandSpace, "spaces/k.yaml", {}, files_of(files))->fingerprint;
  };
  const std::string before = fingerprint_with("spaces/k.py", "n // 2");
  EXPECT_NE(fingerprint_with("spaces/k.py", "n // 3"), before);
  EXPECT_NE(fingerprint_with("spaces/tools/compile.py", "v2"), before);
}

TEST(Resolve, a_missing_value_is_an_error) {
  EXPECT_FALSE(resolve(read_reduce().kernel, {}, problem(), device()).ok());
  EXPECT_FALSE(resolve(read_reduce().kernel, config(), {}, device()).ok());
}

TEST(DeviceLimits, bound_blocks_and_shared_memory_of_each_launch) {
  const auto limits = device_limits(read_reduce().kernel, device());
  const auto holds = [&](const Config& c) {
    Scope scope;
    const Problem p = problem();
    scope.add(c).add(p);
    std::vector<bool> verdicts;
    for (const Constraint& limit : limits) {
      const auto verdict = limit.condition.evaluate(scope);
      verdicts.push_back(verdict->boolean());
    }
    return std::ranges::count(verdicts, false);
  };
  ASSERT_EQ(limits.size(), 5u);
  EXPECT_EQ(limits[2].origin, Constraint::Origin::shared_memory_limit);
  EXPECT_EQ(holds(config()), 0);
  Config large = config();
  large.set("threadsPerBlock", 16384);
  EXPECT_EQ(holds(large), 5);
  large.set("way", "one_pass");  // the second launch is not made
  EXPECT_EQ(holds(large), 3);
}

Result<Plan> compared_with_default(const std::string& arguments, const Config& config) {
  const std::string text =
      "kernel: k\nsource: k.cu\nproblem: {n: [1000]}\nparameters: {tile: {values: [8, 16, 32], default: "
      "16}}\n"
      "arguments: {out: {type: float, extent: n, role: out}, " +
      arguments +
      "}\n"
      "launches: {entry: k, grid: \"ceil_div(n, tile)\", block: tile, arguments: [out, other]}\nreference: "
      "default\n";
  const auto definition = read_space_text(text, "k.yaml", {}, [](const std::string&) -> Result<std::string> {
    return std::string("__global__ void k(float* out, int other) { out[tile] = other; }");
  });
  if (!definition) return Error{definition.error()[0].str()};
  return resolve(definition->kernel, config, {{"n", 1000}}, device());
}

TEST(Resolve, the_default_configuration_is_a_reference_with_its_own_scalars) {
  const auto plan = compared_with_default("other: {type: int32, value: tile * 2}", {{"tile", 32}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->reference_error, std::nullopt);
  EXPECT_TRUE(plan->arguments[0].is_checked);
  EXPECT_EQ(plan->candidate.steps[0].grid[0], 32);
  const StepPlan& step = plan->reference.steps.at(0);
  EXPECT_EQ(step.grid[0], 63);
  EXPECT_EQ(step.block[0], 16);
  EXPECT_EQ(plan->reference.source.macros,
            (std::vector<std::pair<std::string, std::string>>{{"tile", "16"}}));
  EXPECT_EQ(passed_argument(plan->arguments, plan->candidate, plan->candidate.steps[0].arguments[1]).scalar,
            64);
  EXPECT_EQ(passed_argument(plan->arguments, plan->reference, step.arguments[1]).scalar, 32);
}

TEST(Resolve, buffers_that_depend_on_parameters_have_no_default_reference) {
  const auto plan = compared_with_default(
      "other: {type: int32, value: 1}, more: {type: float, extent: tile, init: zero}", {{"tile", 8}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->reference_error.value_or(""),
            "the reference: argument 'more' depends on parameters: it cannot be compared with the default "
            "configuration's");
  const auto scratch = compared_with_default(
      "other: {type: int32, value: 1}, more: {type: float, extent: tile, role: scratch}", {{"tile", 8}});
  ASSERT_TRUE(scratch.ok()) << scratch.error().message;
  EXPECT_EQ(scratch->reference_error, std::nullopt);
  EXPECT_EQ(scratch->arguments[2].count, 16u);
}

}  // namespace
}  // namespace gktune
