// Launches with attributes, setups, variables of the source, structs by value.
#include <gtest/gtest.h>

#include <cstddef>

#include "listed_cases.h"
#include "reduce_example.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

constexpr const char* kLaunchingHead =
    "kernel: k\nsource: k.cu\nproblem: {n: [8]}\nparameters: {blocks: [1, 2]}\n"
    "arguments:\n"
    "  in: {type: float, extent: n, init: zero}\n"
    "  weights: {type: float, extent: 9, symbol: \"space::weights\", init: zero}\n"
    "  out: {type: float, extent: n, role: out}\n"
    "  n: {type: int16, value: n}\n";
constexpr const char* kLaunchingSource = "namespace space { __constant__ float weights[9]; }\n";

DeviceInfo device_of(const std::string& kind) {
  DeviceInfo info;
  info.kind = kind;
  info.max_threads_per_block = info.max_block_x = 1024;
  info.max_grid_x = 2147483647;
  info.shared_bytes_per_block_optin = 49'152;
  return info;
}

Result<Plan> launching_plan(const std::string& rest, const std::string& kind = "cuda",
                            const std::map<std::string, std::string>& files = {}) {
  std::map<std::string, std::string> all = {{"k.cu", kLaunchingSource}};
  all.insert(files.begin(), files.end());
  const auto definition = read_space_text(kLaunchingHead + rest, "k.yaml", {}, files_of(all));
  if (!definition) return Error{definition.error().front().str()};
  return resolve(definition->kernel, {{"blocks", 2}}, {{"n", 8}}, device_of(kind));
}

std::string launching_error(const std::string& rest, const std::string& kind = "cuda") {
  const auto plan = launching_plan(rest, kind);
  return plan ? "none" : plan.error().message;
}

TEST(Launching, attributes_may_be_expressions) {
  const auto plan = launching_plan(
      "launches: {entry: f, grid: n, cluster: [blocks, 1], cooperative: blocks > 1, carveout: 25 * "
      "blocks}\n");
  const LaunchAttributes& attributes = plan->candidate.steps.at(0).attributes;
  EXPECT_EQ(attributes.cluster, (std::array<std::int64_t, 3>{2, 1, 1}));
  EXPECT_TRUE(attributes.is_cooperative);
  EXPECT_FALSE(attributes.is_programmatic);
  EXPECT_EQ(attributes.carveout_percent, 50);
}

TEST(Launching, template_arguments_in_parentheses_may_compare_and_shift) {
  const auto plan = launching_plan(
      "launches: {entry: \"f<(1 << blocks), (blocks > 1), (1 << (blocks - 1)) >\", grid: n}\n");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->candidate.source.entries.at(0), "f<(1 << 2), (2 > 1), (1 << (2 - 1)) >");
}

TEST(Launching, plain_launches_have_no_attributes) {
  const auto plan = launching_plan("launches: {entry: f, grid: n}\n");
  EXPECT_EQ(plan->candidate.steps.at(0).attributes, LaunchAttributes());
}

TEST(Launching, the_first_launch_is_never_programmatic) {
  const auto plan = launching_plan("launches: {repeat: 3, launches: {entry: f, programmatic: true}}\n");
  EXPECT_FALSE(plan->candidate.steps.at(0).attributes.is_programmatic);
  EXPECT_TRUE(plan->candidate.steps.at(1).attributes.is_programmatic);
  EXPECT_TRUE(plan->candidate.steps.at(2).attributes.is_programmatic);
}

TEST(Launching, errors_are_those_of_the_list) {
  const auto cases = listed_cases("launch_errors.txt");
  for (const auto& [launches, expected] : cases) {
    const bool is_host = launches.starts_with("[host] ");
    EXPECT_EQ(launching_error(launches.substr(is_host ? 7 : 0) + '\n', is_host ? "host" : "cuda"), expected)
        << launches;
  }
  EXPECT_GT(cases.size(), 40u);
}

TEST(Launching, a_setup_has_its_own_steps) {
  const auto plan = launching_plan(
      "launches: {entry: f}\n"
      "setup: {once: [{entry: table, arguments: [n]}], each: {repeat: blocks, launches: {fill: out, byte: "
      "1}}}\n");
  EXPECT_EQ(plan->candidate.setup_once.size(), 1u);
  EXPECT_EQ(plan->candidate.setup_each.size(), 2u);
  EXPECT_EQ(plan->candidate.steps.size(), 1u);
  EXPECT_EQ(plan->candidate.source.entries, (std::vector<std::string>{"f", "table", "&space::weights"}));
}

TEST(Launching, inputs_are_computed_by_steps_of_the_reference) {
  const auto read = read_space_text(
      "kernel: k\nsource: k.cu\nproblem: {n: [8]}\narguments:\n  in: {type: int, extent: n, init: zero}\n"
      "  begins: {type: int, extent: n, init: computed}\n  out: {type: int, extent: n, role: out}\n"
      "launches: {entry: f, arguments: [begins, out]}\n"
      "reference: {inputs: {entry: begin, arguments: [in, begins]}}\n",
      "k.yaml", {}, [](const std::string&) -> Result<std::string> { return std::string(); });
  ASSERT_TRUE(read.ok()) << read.error().front().str();
  const auto plan = resolve(read->kernel, {}, {{"n", 8}}, {});
  EXPECT_TRUE(plan->arguments[1].contents.is_computed);
  EXPECT_FALSE(plan->arguments[0].contents.is_computed);
  EXPECT_TRUE(plan->reference.steps.empty());
  EXPECT_TRUE(plan->reference.has_steps());
  ASSERT_EQ(plan->reference.setup_once.size(), 1u);
  EXPECT_EQ(plan->reference.source.entries, std::vector<std::string>{"begin"});
  EXPECT_FALSE(plan->arguments[2].is_checked);
}

TEST(Launching, a_variable_holds_an_argument_that_no_step_passes) {
  const auto plan = launching_plan("launches: {entry: f}\n");
  EXPECT_EQ(plan->candidate.steps.at(0).arguments, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(plan->candidate.variables, (std::vector<VariablePlan>{{1, "&space::weights"}}));

  const auto passed = launching_plan("launches: {entry: f, arguments: [in, {struct: [weights]}, out]}\n");
  EXPECT_TRUE(passed->candidate.variables.empty());
}

TEST(Launching, a_reference_has_the_variable_only_if_its_source_declares_it) {
  const std::string launches = "launches: {entry: f}\nreference: {source: r.cu, launches: {entry: g}}\n";
  const auto without = launching_plan(launches, "cuda", {{"r.cu", ""}});
  EXPECT_TRUE(without->reference.variables.empty());
  const auto with = launching_plan(launches, "cuda", {{"r.cu", kLaunchingSource}});
  EXPECT_EQ(with->reference.variables.size(), 1u);
  // The source uses the name for a parameter, and no block of it is launched for this problem.
  const auto passed = launching_plan(
      "launches: {entry: f}\n"
      "reference: {source: r.cu, launches: {entry: g, grid: 0, arguments: [in, weights, out]}}\n",
      "cuda", {{"r.cu", "void g(const float* in, const float* weights, float* out);"}});
  EXPECT_TRUE(passed->reference.variables.empty());
}

TEST(Launching, structs_are_laid_out_as_in_cpp) {
  const auto plan = launching_plan(
      "launches: {entry: f, arguments: [{struct: [n, in, {struct: [{type: int8, value: 1}, {type: int, "
      "value: n}]}, "
      "{type: int8, value: 2}]}, out]}\n");
  struct Inner {
    signed char a;
    int b;
  };
  struct Outer {
    short n;
    const float* in;
    Inner inner;
    signed char last;
  };
  const int index = plan->candidate.steps.at(0).arguments.at(0);
  const StructLayout layout = layout_of(plan->arguments, plan->candidate, index);
  EXPECT_EQ(layout.bytes, sizeof(Outer));
  EXPECT_EQ(layout.alignment, alignof(Outer));
  std::vector<std::size_t> offsets;
  for (const StructLayout::Part& part : layout.parts) offsets.push_back(part.offset);
  EXPECT_EQ(offsets,
            (std::vector<std::size_t>{offsetof(Outer, n), offsetof(Outer, in), offsetof(Outer, inner),
                                      offsetof(Outer, inner) + offsetof(Inner, b), offsetof(Outer, last)}));
  EXPECT_TRUE(takes(plan->candidate, 0, plan->arguments.size()));
}

TEST(Launching, structs_do_not_match_other_parameters) {
  for (const auto& [parameter, word] : {std::pair("Line line", "none"), std::pair("int n", "struct of 2"),
                                        std::pair("Line* line", "struct of 2")}) {
    const auto definition = read_space_text(
        std::string(kLaunchingHead) + "launches: {entry: g, arguments: [{struct: [in, n]}, out]}\n", "k.yaml",
        {},
        files_of({{"k.cu", std::string(kLaunchingSource) + "__global__ void g(" + parameter +
                               ", float* out) {}\n"}}));
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    const auto plan = resolve(definition->kernel, {{"blocks", 2}}, {{"n", 8}}, device_of("cuda"));
    const std::string message = plan ? "none" : plan.error().message;
    EXPECT_NE(message.find(word), std::string::npos) << parameter << ": " << message;
  }
}

constexpr const char* kJudgedLaunches = "launches: {entry: f, arguments: [in, out]}\n";

Result<Plan> judged_plan(const std::string& judges) {
  return launching_plan(
      kJudgedLaunches + judges, "cuda",
      {{"v.cu", "__global__ void v(const float* out, unsigned long long* verdict, short n) {}\n"}});
}

TEST(Launching, a_reference_that_cannot_be_launched_leaves_the_candidate_its_plan) {
  const std::string nothing = "none of its launches has work for this problem, so 'out' stays unwritten";
  const std::pair<const char*, std::string> cases[] = {
      {"block: 2048", "launch of 'a': block '2048': 2048 is more than the device's 1024"},
      {"block: [64, 32]", "launch of 'a': block: 2048 threads are more than the device's 1024"},
      {"block: n - 8", "launch of 'a': block 'n - 8': 0 is less than 1"},
      {"grid: n // 0", "launch of 'a': grid 'n // 0': division by zero"},
      {"shared: 1Mi", "launch of 'a': shared '1Mi': 1048576 is more than the device's 49152"},
      {"grid: 0", nothing},
      {"when: n > 8", nothing}};
  for (const auto& [geometry, message] : cases) {
    const auto plan = judged_plan("reference: {launches: {entry: a, " + std::string(geometry) +
                                  ", arguments: [in, out]}}\n");
    EXPECT_EQ(plan->reference_error, "the reference: " + message);
    EXPECT_FALSE(plan->reference.has_steps());
    EXPECT_EQ(plan->candidate.steps.size(), 1u);
  }
  const auto empty = launching_plan(
      "launches: {entry: f, grid: n - 8, arguments: [in, out]}\n"
      "reference: {launches: {entry: a, grid: n - 8, arguments: [in, out]}}\n");
  EXPECT_EQ(empty->reference_error, std::nullopt);
  const auto plan = judged_plan(
      "verify: {source: v.cu, launches: {entry: v, block: 2048, arguments: [out, verdict, n]}}\n");
  EXPECT_EQ(plan->reference_error,
            "the verifier: launch of 'v': block '2048': 2048 is more than the device's 1024");
}

TEST(Launching, a_verifier_passes_what_is_expected_and_its_verdict) {
  const auto plan = judged_plan(
      "reference: {launches: {entry: a, arguments: [in, out]}}\n"
      "verify: {source: v.cu, launches: {entry: v, arguments: [expected.out, verdict, n]}}\n");
  const std::size_t count = plan->arguments.size();
  const std::vector<int> passed = {static_cast<int>(expected_index(2, count)),
                                   static_cast<int>(verdict_index(count)), 3};
  ASSERT_EQ(plan->verifier.steps.size(), 1u);
  EXPECT_EQ(plan->verifier.steps[0].arguments, passed);
  EXPECT_EQ(plan->verifier.source.path, "v.cu");
  const auto arguments = verifier_arguments(plan->arguments);
  ASSERT_EQ(arguments.size(), 2 * count + 1);
  EXPECT_EQ(arguments[static_cast<std::size_t>(passed[0])].name, "expected.out");
  EXPECT_EQ(arguments.back().name, "verdict");
}

TEST(Launching, a_verifier_that_does_not_fit_its_source_is_refused) {
  const auto error_of = [](const std::string& arguments) {
    const auto plan =
        judged_plan("verify: {source: v.cu, launches: {entry: v, arguments: [" + arguments + "]}}\n");
    return plan ? plan->reference_error.value_or("none") : plan.error().message;
  };
  EXPECT_EQ(error_of("out, verdict, n"), "none");
  EXPECT_EQ(error_of("verdict, out, n"),
            "the verifier: launch of 'v': parameter 1 'out' is const float*, 'verdict' is a buffer of "
            "uint64; 'verdict' "
            "and 'out' seem to be swapped");
  EXPECT_EQ(error_of("out, verdict"),
            "the verifier: launch of 'v': it has 3 parameters (const float* out, unsigned long long* "
            "verdict, short n), "
            "the launch passes 2 arguments (out, verdict)");
  EXPECT_NE(error_of("expected.out, verdict, n").find("unknown argument 'expected.out'"), std::string::npos);
}

TEST(Launching, the_buffer_of_a_texture_is_aligned_for_it) {
  const auto plan = launching_plan(
      "launches: {entry: f, arguments: [{texture: in, sizes: [blocks, 1], pitch: 8, channels: 2, "
      "address: mirror, filter: linear, normalized: blocks == 2}, {texture: weights, sizes: 9}, out]}\n");
  const std::vector<int>& passed = plan->candidate.steps.at(0).arguments;
  const TexturePlan& image = passed_argument(plan->arguments, plan->candidate, passed.at(0)).texture;
  EXPECT_EQ(image.argument, 0);
  EXPECT_EQ(image.type, ElementType::float32);
  EXPECT_EQ(image.channels, 2);
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 1);
  EXPECT_EQ(image.pitch_bytes, 32);
  EXPECT_EQ(image.address, TexturePlan::Address::mirror);
  EXPECT_EQ(image.filter, TexturePlan::Filter::linear);
  EXPECT_TRUE(image.is_normalized);
  const TexturePlan& row = passed_argument(plan->arguments, plan->candidate, passed.at(1)).texture;
  EXPECT_EQ(row.width, 9);
  EXPECT_EQ(row.height, 0);
  EXPECT_TRUE(plan->arguments[0].is_aligned);
  EXPECT_TRUE(plan->arguments[1].is_aligned);
  EXPECT_FALSE(plan->arguments[2].is_aligned);
  EXPECT_TRUE(takes(plan->candidate, 0, plan->arguments.size()));
  EXPECT_EQ(layout_of(plan->arguments, plan->candidate, passed.at(0)).bytes, kTextureBytes);
}

TEST(Launching, a_buffer_that_is_swapped_with_that_of_a_texture_is_aligned_too) {
  const auto plan = launching_plan(
      "launches: {repeat: 2, swap: [in, out], launches: {entry: f, arguments: [{texture: in, sizes: n}, "
      "out]}}\n");
  EXPECT_TRUE(plan->arguments[0].is_aligned);
  EXPECT_TRUE(plan->arguments[2].is_aligned);
}

TEST(Launching, textures_on_a_cpu_are_for_kernels_in_cuda) {
  const auto definition = read_space_text(
      "kernel: k\nsource: k.cc\nproblem: {n: [8]}\narguments:\n  in: {type: float, extent: n, init: zero}\n"
      "  out: {type: float, extent: n, role: out}\n"
      "launches: {entry: f, arguments: [{texture: in, sizes: n}, out]}\n",
      "k.yaml", {}, files_of({{"k.cc", "void f(unsigned long long in, float* out) {}"}}));
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  EXPECT_EQ(resolve(definition->kernel, {}, {{"n", 8}}, device_of("host")).error().message,
            "launch of 'f': texture of 'in': textures exist on GPUs only");
}

TEST(Launching, tensor_maps_refer_to_a_buffer) {
  const auto plan = launching_plan(
      "launches: {entry: f, arguments: [{tensor_map: in, sizes: [4, 2], box: [4, blocks], swizzle: 32}, "
      "out]}\n");
  const int index = plan->candidate.steps.at(0).arguments.at(0);
  const TensorMapPlan& map = passed_argument(plan->arguments, plan->candidate, index).tensor_map;
  EXPECT_EQ(map.argument, 0);
  EXPECT_EQ(map.type, ElementType::float32);
  EXPECT_EQ(map.sizes, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(map.stride_bytes, (std::vector<std::int64_t>{16}));
  EXPECT_EQ(map.box, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(map.swizzle_bytes, 32);
  EXPECT_TRUE(takes(plan->candidate, 0, plan->arguments.size()));
  EXPECT_EQ(layout_of(plan->arguments, plan->candidate, index).bytes, kTensorMapBytes);
}

// With this check of the output.
std::string check_error(const std::string& check, const std::string& more = "") {
  const std::string space = "kernel: k\nsource: k.cu\nproblem: {n: [8]}\narguments:\n" + more +
                            "  out: {type: float, extent: n, role: out, check: {" + check + "}}\n" +
                            "launches: {entry: f}\nreference: {launches: {entry: f}}\n";
  const auto definition = read_space_text(space, "k.yaml", {}, files_of({{"k.cu", ""}}));
  if (!definition) return definition.error().front().str();
  const auto plan = resolve(definition->kernel, {}, {{"n", 8}}, device_of("cuda"));
  return plan ? "none" : plan.error().message;
}

TEST(Launching, checks_that_fit_no_output_are_refused) {
  EXPECT_EQ(check_error("row: n, pitch: n, order: any, nan: equal, norm: 0.5"), "none");
  EXPECT_EQ(check_error("row: n + 1, pitch: n"),
            "argument 'out': row 'n + 1': a row of 9 elements does not fit in a pitch of 8");
  EXPECT_EQ(check_error("row: 0, pitch: 0"), "argument 'out': pitch '0': 0 is less than 1");
  EXPECT_EQ(check_error("norm: 0 - 1"), "argument 'out': norm '0 - 1': a tolerance cannot be negative");
  EXPECT_EQ(check_error("mask: m", "  m: {type: uint8, extent: n - 1, init: zero}\n"),
            "argument 'out': mask 'm': 7 elements, the output has 8");
  EXPECT_EQ(check_error("mask: m", "  m: {type: int, extent: n, init: zero}\n"),
            "argument 'out': mask 'm': its elements are int32, a mask has bytes");
}

}  // namespace
}  // namespace gktune
