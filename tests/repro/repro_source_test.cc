#include "tuner/repro/repro_source.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "repro_program.h"
#include "tests/scratch_folder.h"
#include "tests/templates/shipped_spaces.h"
#include "tuner/process/child_process.h"
#include "tuner/measure/contents.h"
#include "tuner/repro/stored_values.h"
#include "tuner/space/solver/space.h"
#include "tuner/space/space_file.h"

namespace {

std::map<int, std::string> taken;

}  // namespace

// The facts about its inputs that a repro of these tests prints.
extern "C" __attribute__((visibility("default"))) void gktune_test_take(int index, const void* bytes,
                                                                        unsigned long long size) {
  taken[index] = std::string(static_cast<const char*>(bytes), size);
}

namespace gktune {
namespace {

const ReproFacts kFacts{"Trial 1 of test.db", {{"problem", "n=1009"}}, "repro.cu", {}};

DeviceInfo device() {
  DeviceInfo info;
  info.kind = "host";
  info.multiprocessors = 2;
  info.max_threads_per_block = 1024;
  return info;
}

Definition read(const std::string& path) {
  auto definition = read_space_file(path, {.device_kind = "host"});
  if (definition) return *std::move(definition);
  for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << diagnostic.str();
  return {};
}

Plan planned(const KernelDefinition& kernel, const Config& config, const Problem& problem) {
  auto plan = resolve(kernel, config, problem, device());
  if (plan) return *std::move(plan);
  ADD_FAILURE() << plan.error().message;
  return {};
}

// A shipped space on a problem of awkward size, its default configuration.
Plan default_plan(const Definition& definition) {
  Problem problem;
  std::int64_t size = 1009;
  for (const Axis& axis : definition.kernel.axes) {
    const bool is_size = axis.values.front().is_integer();
    problem.set(axis.name, is_size ? Value(size) : axis.values.front());
    if (is_size) size = size / 4 + 1;
  }
  const NamedValues attributes = device().attributes();
  Scope scope;
  scope.add(problem).add(attributes, "device.");
  auto space = Space::build(definition.parameters, definition.constraints, scope);
  if (space) return planned(definition.kernel, space->default_config().value(), problem);
  ADD_FAILURE() << space.error().message;
  return {};
}

class ReproOfShipped : public testing::TestWithParam<std::string> {};

TEST_P(ReproOfShipped, runs_and_gives_right_results) {
  const Definition definition = read(GetParam());
  const auto run = run_repro(repro_source(default_plan(definition), kFacts), definition.kernel.language);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->exit_code, 0) << run->output;
  EXPECT_TRUE(run->output.starts_with("right\n2 runs, ")) << run->output;
}

TEST_P(ReproOfShipped, is_compiled_by_nvcc_if_there_is_one) {
  const Definition definition = read(GetParam());
  if (definition.kernel.language != Language::cuda) GTEST_SKIP() << "it is C++";
  const auto version = run_command({"nvcc", "--version"});
  if (!version || version->exit_code != 0) GTEST_SKIP() << "there is no nvcc";
  const ScratchFolder scratch;
  scratch.write("repro.cu", repro_source(default_plan(definition), kFacts));
  const auto compiled =
      run_command({"nvcc", "-arch=sm_80", "-c", scratch.path("repro.cu"), "-o", scratch.path("repro.o")});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  EXPECT_EQ(compiled->exit_code, 0) << compiled->text;
  EXPECT_EQ(compiled->text, "");
}

TEST(ReproOfLaunches, has_structs_variables_and_rules_of_judging) {
  for (const char* name : {"device_variable", "struct", "padding", "any_order", "computed_inputs", "verifier",
                           "references", "complex"}) {
    const Definition definition =
        read(GKTUNE_SOURCE_DIR "/tests/kernels/launches/" + std::string(name) + ".yaml");
    const Parameter& parameter = definition.parameters.at(0);
    const Axis& axis = definition.kernel.axes.at(0);
    const Plan plan = planned(definition.kernel, {{parameter.name, parameter.values.at(1)}},
                              {{axis.name, axis.values.at(0).is_integer() ? Value(101) : axis.values.at(0)}});
    const auto run = run_repro(repro_source(plan, kFacts), Language::cuda);
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(run->exit_code, 0) << name << ": " << run->output;
  }
}

TEST(ReproOfHostCode, calls_functions_without_a_stream_on_a_cpu) {
  const auto read_source = [](const std::string&) -> Result<std::string> {
    return std::string("int twice(const float* in, float* out, int n, struct CUstream_st* stream) {\n"
                       "  for (int i = 0; i < n; ++i) out[i] = factor * in[i];\n"
                       "  return stream != nullptr;\n}\n"
                       "void plain(const float* in, float* out, int n) {\n"
                       "  for (int i = 0; i < n; ++i) out[i] = in[i] + in[i];\n}\n");
  };
  const auto definition = read_space_text(
      "kernel: twice\nsource: twice.cc\nlanguage: host\nproblem: {n: [100]}\nparameters: {factor: [2, 3]}\n"
      "arguments:\n  in: {type: float, extent: n, init: {uniform: [0, 1]}}\n"
      "  out: {type: float, extent: n, role: out}\n  n: {type: int, value: n}\n"
      "launches: {entry: twice}\nreference: {launches: {entry: plain}}\n",
      "twice.yaml", {.device_kind = "host", .strategies = {}}, read_source);
  ASSERT_TRUE(definition.ok()) << definition.error().front().str();
  ReproFacts facts = kFacts;
  facts.is_for_gpu = false;
  const Plan plan = planned(definition->kernel, {{"factor", 2}}, {{"n", 100}});
  const auto run = run_repro(repro_source(plan, facts), Language::cpp);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->exit_code, 0) << run->output;
  EXPECT_TRUE(run->output.starts_with("right\n")) << run->output;
}

// A launch that passes a value made of its argument.
Plan plan_passing(const ArgumentPlan& argument, const ArgumentPlan& value) {
  StepPlan step;
  step.entry = "f";
  step.arguments = {1};
  Plan plan;
  plan.arguments = {argument};
  plan.candidate.steps = {step};
  plan.candidate.values = {value};
  return plan;
}

TEST(ReproOfLaunches, makes_tensor_maps) {
  ArgumentPlan in, map;
  in.name = "in";
  in.count = 64;
  map.tensor_map = {0, ElementType::float32, {8, 8}, {32}, {8, 4}, 32};
  const std::string text = repro_source(plan_passing(in, map), kFacts);
  EXPECT_NE(
      text.find("::gktune::tensor_map(arguments.in.data(), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, {8, 8}, {32}, "
                "{8, 4}, CU_TENSOR_MAP_SWIZZLE_32B)"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("dlsym(driver, \"cuTensorMapEncodeTiled\")"), std::string::npos);
}

TEST(ReproOfLaunches, calls_the_verifier) {
  const Definition definition = read(GKTUNE_SOURCE_DIR "/tests/kernels/launches/verifier.yaml");
  Plan plan = planned(definition.kernel, {{"threadsPerBlock", 64}}, {{"n", 100}});
  plan.candidate.steps.pop_back();  // nothing is written
  const auto run = run_repro(repro_source(plan, kFacts), Language::cuda);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->exit_code, 1);
  EXPECT_TRUE(
      run->output.starts_with("the verifier counts 100 wrong elements; the index of the first is 0\nwrong\n"))
      << run->output;
}

TEST(ReproOfLaunches, makes_textures) {
  ArgumentPlan in, texture;
  in.name = "in";
  in.type = ElementType::uint8;
  in.count = 256;
  texture.texture = {.argument = 0,
                     .type = ElementType::uint8,
                     .channels = 2,
                     .width = 16,
                     .height = 4,
                     .pitch_bytes = 64,
                     .address = TexturePlan::Address::wrap,
                     .filter = TexturePlan::Filter::linear,
                     .is_normalized = true,
                     .reads_fractions = true};
  const std::string text = repro_source(plan_passing(in, texture), kFacts);
  EXPECT_NE(text.find("::gktune::texture(arguments.in.data(), cudaCreateChannelDesc(8, 8, 0, 0, "
                      "cudaChannelFormatKindUnsigned), 16, 4, 64, cudaAddressModeWrap, cudaFilterModeLinear, "
                      "true, true)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("cudaCreateTextureObject("), std::string::npos);
}

TEST(ReproOfLaunches, judges_by_the_rules_of_the_check) {
  Plan plan;
  ArgumentPlan out;
  out.name = "out";
  out.count = 8;
  out.role = Argument::Role::out;
  out.is_checked = true;
  out.tolerance.has_norm = true;
  out.tolerance.norm = 0.5;
  out.tolerance.row = 3;
  out.tolerance.pitch = 4;
  out.tolerance.any_order = true;
  plan.arguments = {out};
  StepPlan step;
  step.entry = "f";
  step.arguments = {0};
  plan.reference.steps = plan.candidate.steps = {step};
  EXPECT_NE(
      repro_source(plan, kFacts).find("arguments.out.judge({{0.0, 0.0, 0, false}, 3, 4, true, true, 0.5})"),
      std::string::npos);
}

TEST(ReproOfLaunches, names_the_attributes_of_a_launch) {
  Plan plan;
  StepPlan step;
  step.entry = "f";
  step.attributes = {{2, 1, 1}, false, true, 50};
  plan.candidate.steps = {step};
  const std::string text = repro_source(plan, kFacts);
  EXPECT_NE(text.find("::gktune::launch(f, {dim3(2, 1, 1), false, true, 50}, dim3(1, 1, 1)"),
            std::string::npos)
      << text;
}

INSTANTIATE_TEST_SUITE_P(Spaces, ReproOfShipped, testing::ValuesIn(portable_spaces()), space_name);

// A kernel in a folder for one test.
class Repro : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  Plan plan_of(const std::string& space, const Config& config, int n = 1009) const {
    write("space.yaml", space);
    return planned(read(folder_.path("space.yaml")).kernel, config, {{"n", n}});
  }
  ReproRun run(const Plan& plan) const {
    auto run = run_repro(repro_source(plan, kFacts), plan.candidate.source.language);
    if (run) return *std::move(run);
    ADD_FAILURE() << run.error().message;
    return {};
  }

  ScratchFolder folder_;
};

constexpr const char* kTwice = R"yaml(
kernel: twice
source: twice.cu
problem: {n: [1009]}
parameters: {WRONG: [0, 1], LIMIT: [0]}
arguments:
  in: {type: float, extent: n, init: {ramp: [1, 0.5]}}
  out: {type: float, extent: n, role: out, check: {absolute: 0.25}}
  n: {type: int32, value: n}
launches: {entry: "twice<4>", grid: 4, block: 64, shared: 64}
reference: {launches: {entry: plain, grid: 4, block: 64}}
)yaml";

constexpr const char* kTwiceSource = R"cuda(
#include <limits.h>
#include "factor.h"
#define LENGTH 64
extern "C" __global__ void plain(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = FACTOR * in[i];
}
template <int kTile>
__global__ void twice(const float* in, float* out, int n) {
  extern __shared__ float tile[];
  for (int i = blockIdx.x * LENGTH + threadIdx.x; i < n; i += gridDim.x * LENGTH) {
    tile[threadIdx.x % kTile] = 0;
    out[i] = FACTOR * in[i] + (WRONG && i % 100 == 17 ? 1 : 0);
  }
}
)cuda";

TEST_F(Repro, names_the_wrong_element_and_exits_with_1) {
  write("twice.cu", kTwiceSource);
  write("factor.h", "#pragma once\n#include <float.h>\nconstexpr int FACTOR = 2;\n");
  EXPECT_EQ(run(plan_of(kTwice, {{"WRONG", 0}, {"LIMIT", 0}})).exit_code, 0);
  const ReproRun wrong = run(plan_of(kTwice, {{"WRONG", 1}, {"LIMIT", 0}}));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(wrong.output.starts_with(
      "10 of 1009 elements of out differ; the first is out[17]: 20, expected 19\nwrong\n"))
      << wrong.output;
}

TEST_F(Repro, passes_if_there_are_no_elements) {
  write("twice.cu", kTwiceSource);
  write("factor.h", "#pragma once\nconstexpr int FACTOR = 2;\n");
  std::string space = kTwice;
  while (space.find("grid: 4") != std::string::npos) {
    space.replace(space.find("grid: 4"), 7, "grid: \"ceil_div(n, 64)\"");
  }
  const ReproRun nothing = run(plan_of(space, {{"WRONG", 0}, {"LIMIT", 0}}, 0));
  EXPECT_EQ(nothing.exit_code, 0) << nothing.output;
}

TEST_F(Repro, contains_all_included_files_except_headers_of_the_system) {
  write("twice.cu", kTwiceSource);
  write("factor.h", "#pragma once\n#include <float.h>\nconstexpr int FACTOR = 2;  // a comment\n");
  const std::string text = repro_source(plan_of(kTwice, {{"WRONG", 0}, {"LIMIT", 0}}), kFacts);
  EXPECT_EQ(text.find("#include \""), std::string::npos);
  EXPECT_NE(text.find("constexpr int FACTOR = 2;  // a comment\n"), std::string::npos);
  EXPECT_NE(
      text.find(
          "}  // namespace candidate\n#undef WRONG\n#include <float.h>\n#define WRONG 0\n"),
      std::string::npos)
      << text;
  // The reference does not see the candidate's macros.
  EXPECT_NE(text.find("#undef LENGTH\n"), std::string::npos);
}

TEST_F(Repro, begins_with_its_origin_and_the_commands_that_compile_it) {
  write("twice.cu", kTwiceSource);
  write("factor.h", "#pragma once\nconstexpr int FACTOR = 2;\n");
  ReproFacts facts{
      "Trial 7 of my.db", {{"kernel", "twice"}, {"problem", "n=1009"}}, "mine.cu", {"--use_fast_math"}};
  const std::string text = repro_source(plan_of(kTwice, {{"WRONG", 0}, {"LIMIT", 0}}), facts);
  EXPECT_TRUE(
      text.starts_with("// Trial 7 of my.db, on its own: its kernel, inputs, reference and check.\n"
                       "//\n"
                       "//   kernel   twice\n"
                       "//   problem  n=1009\n"
                       "//\n"))
      << text.substr(0, 500);
  EXPECT_NE(text.find("//   nvcc -O3 -lineinfo -arch=native --use_fast_math mine.cu -o repro && ./repro\n"),
            std::string::npos);
  EXPECT_NE(text.find("-k regex:'^twice$'"), std::string::npos);
}

TEST_F(Repro, keeps_each_fact_on_its_line_of_the_comment) {
  write("twice.cu", kTwiceSource);
  write("factor.h", "#pragma once\nconstexpr int FACTOR = 2;\n");
  const ReproFacts facts{"Trial\n#error title",
                         {{"device", "GPU\r\n#error device\n*/"}, {"outcome", "ends in \\"}, {"more", "\\ "}},
                         "mine\n#error file.cu",
                         {"-DA\n#error option"}};
  const Plan plan = plan_of(kTwice, {{"WRONG", 0}, {"LIMIT", 0}});
  const std::string text = repro_source(plan, facts);
  EXPECT_EQ(text.find("\n#error"), std::string::npos);
  EXPECT_NE(text.find("//   device   GPU\\x0d\\x0a#error device\\x0a*/\n"), std::string::npos)
      << text.substr(0, 500);
  EXPECT_NE(text.find("//   outcome  ends in \\x5c.\n//   more     \\x5c.\n"), std::string::npos)
      << text.substr(0, 500);
}

TEST(StoredValues, are_safe_if_they_are_listed_or_plain) {
  Definition definition;
  definition.parameters = {{.name = "way", .values = {"f(1)", "fast"}, .default_value = {}}};
  definition.kernel.axes = {{"T", {"g(2)"}, "T"}};
  const auto unsafe = [&](const Config& config, const Problem& problem = {}) {
    return unsafe_value(definition, config, problem).value_or("none");
  };
  EXPECT_EQ(unsafe({{"way", "f(1)"}, {"tile", 3}, {"x", 0.5}}, {{"T", "g(2)"}, {"U", "unsigned char"}}),
            "none");
  EXPECT_EQ(unsafe({{"way", "std::int64_t"}}), "none");
  EXPECT_EQ(unsafe({{"way", "f(2)"}}), "way='f(2)'");
  EXPECT_EQ(unsafe({{"way", "0\nint main() {}"}}), "way='0\\x0aint main() {}'");
  EXPECT_EQ(unsafe({{"tile", "f(1)"}}), "tile='f(1)'");
  EXPECT_EQ(unsafe({}, {{"T", "f(1)"}}), "T='f(1)'");
  for (const char* text : {"a;b", "a\"", "a#b", "a\\", "a=b", "{}", "a/b", "a'b'", "$(x)", "`x`", "<:"})
    EXPECT_NE(unsafe({{"way", text}}), "none") << text;
}

TEST_F(Repro, exits_with_1_if_the_kernel_writes_into_its_input) {
  write("twice.cu",
        "__global__ void twice(float* in, float* out, int n) {\n"
        "  for (int i = 0; i < n; ++i) out[i] = in[i];\n"
        "  if (WRONG) in[5] = 0;\n}\n");
  std::string space = kTwice;
  for (const char* entry : {"\"twice<4>\"", "plain"})
    space.replace(space.find(entry), std::strlen(entry), "twice");
  const ReproRun changed = run(plan_of(space, {{"WRONG", 1}, {"LIMIT", 0}}));
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(changed.output.starts_with("wrote into its input: in[5] was 3.5, is now 0\n"))
      << changed.output;
}

TEST_F(Repro, restores_changed_inputs_of_a_function_in_cpp) {
  write("add.cc",
        "#include <cstdint>\n"
        "void add(int* sums, std::int64_t n) {\n"
        "  for (std::int64_t i = 0; i < n; ++i) sums[i] += ADDEND;\n}\n");
  write("plain.cc",
        "#include <cstdint>\n"
        "void add(int* sums, std::int64_t n) {\n"
        "  for (std::int64_t i = 0; i < n; ++i) sums[i] += 1;\n}\n");
  const std::string space = R"yaml(
kernel: add
language: c++
source: add.cc
problem: {n: [1009]}
parameters: {ADDEND: [1, 2]}
arguments:
  sums: {type: int, extent: n, role: inout, init: {ramp: [5, -1]}, check: exact}
  n: {type: int64, value: n}
launches: {entry: add}
reference: {source: plain.cc, launches: {entry: add}}
)yaml";
  EXPECT_EQ(run(plan_of(space, {{"ADDEND", 1}})).exit_code, 0);
  EXPECT_TRUE(
      run(plan_of(space, {{"ADDEND", 2}}))
          .output.starts_with("1009 of 1009 elements of sums differ; the first is sums[0]: 7, expected 6\n"));
}

// A plan whose candidate copies each of its inputs to the test.
struct Taken {
  Plan plan;

  void add(ElementType type, const ContentsPlan& contents) {
    const std::size_t index = plan.arguments.size();
    ArgumentPlan argument;
    argument.name = "in_" + std::to_string(index);
    argument.type = type;
    argument.count = 1009;
    argument.contents = contents;
    plan.arguments.push_back(argument);
    StepPlan step;
    step.entry =
        "take<" + std::to_string(index) + ", " + std::to_string(argument.count * element_size(type)) + ">";
    step.arguments = {static_cast<int>(index)};
    plan.candidate.steps.push_back(step);
  }
};

TEST(ReproInputs, equal_those_of_the_tuner_bit_by_bit) {
  Taken all;
  all.plan.candidate.source.language = Language::cpp;
  all.plan.candidate.source.path = "take.cc";
  all.plan.candidate.source.text =
      "extern \"C\" void gktune_test_take(int index, const void* bytes, unsigned long long size);\n"
      "template <int kIndex, unsigned long long kSize>\n"
      "void take(const void* bytes) { gktune_test_take(kIndex, bytes, kSize); }\n";
  for (auto type = ElementType::int8; type <= ElementType::float64;
       type = static_cast<ElementType>(static_cast<int>(type) + 1)) {
    all.add(type, {.kind = ContentsKind::zero});
    all.add(type, {.kind = ContentsKind::constant, .a = 3, .a_integer = 3});
    all.add(type, {.kind = ContentsKind::ramp, .a = 7, .b = -0.3, .a_integer = 7, .b_integer = -3});
    all.add(type,
            {.kind = ContentsKind::uniform, .a = 2, .b = 99.7, .a_integer = 2, .b_integer = 99, .seed = 5});
    all.add(type, {.kind = ContentsKind::normal, .a = 0.5, .b = 20.25, .seed = ~std::uint64_t{0}});
  }
  taken.clear();
  const auto run = run_repro(repro_source(all.plan, kFacts), Language::cpp);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->exit_code, 0) << run->output;
  for (std::size_t i = 0; i < all.plan.arguments.size(); ++i) {
    const ArgumentPlan& argument = all.plan.arguments[i];
    std::string expected(argument.count * element_size(argument.type), '\0');
    ASSERT_TRUE(
        fill_contents(argument.type, argument.contents, std::as_writable_bytes(std::span(expected))).ok());
    EXPECT_TRUE(taken[static_cast<int>(i)] == expected)
        << element_type_name(argument.type) << ", contents of kind "
        << static_cast<int>(argument.contents.kind);
  }
}

TEST_F(Repro, reads_npy_files_from_their_original_place) {
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
  header.resize(118, ' ');
  const int values[] = {10, 20, 30};
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  file.append(reinterpret_cast<const char*>(values), sizeof values);
  write("three.npy", file);
  Taken all;
  all.plan.candidate.source.language = Language::cpp;
  all.plan.candidate.source.text =
      "extern \"C\" void gktune_test_take(int index, const void* bytes, unsigned long long size);\n"
      "template <int kIndex, unsigned long long kSize>\n"
      "void take(const void* bytes) { gktune_test_take(kIndex, bytes, 12); }\n";
  all.add(ElementType::int32, {.kind = ContentsKind::file, .file = folder_.path("three.npy")});
  all.plan.arguments[0].count = 3;
  taken.clear();
  EXPECT_EQ(run(all.plan).exit_code, 0);
  EXPECT_EQ(taken[0], file.substr(file.size() - 12));
}

}  // namespace
}  // namespace gktune
