// Real kernels before the judge, on the host device.
#include "engine/judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/spaces.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/device/worker/folders.h"
#include "tuner/process/sandbox.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr const char* kSpace = R"yaml(kernel: twice
source: twice.cu
problem: {n: [1000, 3000]}
parameters: {width: {values: [64, 128], default: 64}}
arguments:
  in: {type: float, extent: n, init: {uniform: [0.5, 1], seed: 1}}
  out: {type: float, extent: n, role: out, check: {relative: 1e-5}}
  n: {type: int32, value: n}
launches: {entry: twice, grid: "ceil_div(n, width)", block: width, arguments: [in, out, n]}
reference:
  launches: {entry: twice_reference, grid: 1, block: 64, arguments: [in, out, n]}
time_limit: 1
)yaml";
constexpr const char* kSource = R"(
__global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * width + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void twice_reference(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] + in[i];
}
)";
constexpr const char* kBlock =
    "/* gktune\nlaunches: {entry: mine, grid: \"ceil_div(n, 128)\", block: 128, arguments: [in, out, "
    "n]}\n*/\n";
constexpr const char* kBegin =
    "__global__ void mine(const float* in, float* out, int n) {\n  int i = blockIdx.x * 128 + threadIdx.x;\n";

// A candidate with this body, in which i is the number of the thread.
std::string kernel(const std::string& body, const std::string& before = "") {
  return kBlock + before + kBegin + body + "\n}\n";
}
const std::string kHonest = kernel("  if (i < n) out[i] = 2 * in[i];");
// Takes a millisecond on any CPU.
const std::string kWork =
    "__device__ float work(float x) {\n  float y = x;\n"
    "  for (int k = 0; k < 3000; ++k) y = y * 0.5f + x;\n  return y;\n}\n";
const std::string kSlow = kernel("  if (i < n) out[i] = work(in[i]);", kWork);

class Judged : public ::testing::Test {
 protected:
  void SetUp() override {
    write_space(kSpace);
    folder_.write("twice.cu", kSource);
  }
  void write_space(const std::string& text) { folder_.write("twice.yaml", text); }

  void open() {
    auto opened =
        open_spaces({folder_.path("twice.yaml")}, {DeviceChoice::Kind::host}, request_.workers.argv, {});
    ASSERT_TRUE(opened.ok());
    request_.space = std::make_shared<const Definition>(opened->front().definitions.front());
    request_.device = opened->front().device;
    request_.problems = problems_of(request_.space->kernel);
  }
  Definition read(const std::string& name, const std::string& text) {
    folder_.write(name, text);
    auto candidate = read_candidate_file(folder_.path(name), *request_.space, {.device_kind = "host"});
    EXPECT_TRUE(candidate.ok()) << candidate.error()[0].str();
    return *std::move(candidate);
  }
  Judgement judge(const std::string& text) {
    if (!request_.space) open();
    const Definition candidate = read(candidate_name_, text);
    auto judgement = Judge(request_, {}).judge(candidate);
    EXPECT_TRUE(judgement.ok()) << judgement.error().message;
    return *std::move(judgement);
  }
  // The judge finds this in this stage, with a message that contains this.
  void expect(const std::string& text, Ruling ruling, JudgeStage stage, const std::string& message) {
    const Judgement judgement = judge(text);
    EXPECT_EQ(enum_name(judgement.verdict), enum_name(ruling)) << judgement.message;
    EXPECT_EQ(enum_name(judgement.stage), enum_name(stage)) << judgement.message;
    EXPECT_TRUE(contains(judgement.message, message));
    EXPECT_TRUE(judgement.comparisons.empty());
  }
  void add_baseline(const std::string& name, const std::string& text) {
    if (!request_.space) open();
    request_.baselines.push_back({name, std::make_shared<const Definition>(read(name, text)), {}, true});
  }

  std::string candidate_name_ = "mine.cu";
  ScratchFolder folder_;
  JudgeRequest request_{
      .space = nullptr,
      .device = {},
      .workers = {.argv = {GKTUNE_PROGRAM, "worker"}, .cache_dir = folder_ / "cache", .seed = 3},
      .problems = {},
      .baselines = {},
      .effect = 0.5,
      .seconds = 1};
};

TEST_F(Judged, a_right_kernel_is_accepted_and_compared_with_each_baseline_for_each_problem) {
  open();
  request_.baselines.push_back({"default", request_.space});
  add_baseline("old.cu", kHonest);
  const Judgement judgement = judge(kHonest);
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
  ASSERT_EQ(judgement.comparisons.size(), 4u);
  EXPECT_EQ(judgement.comparisons[0].baseline_config, (Config{{"width", 64}}));
  for (const BaselineComparison& each : judgement.comparisons) {
    EXPECT_EQ(each.failure, "");
    EXPECT_LE(each.speedup.low, each.speedup.factor);
    EXPECT_GE(each.speedup.high, each.speedup.factor);
    EXPECT_GT(each.rounds, 10u);
  }
  ASSERT_EQ(judgement.means.size(), 2u);
  EXPECT_EQ(judgement.means[1].baseline, "old.cu");
}

TEST_F(Judged, a_kernel_is_equivalent_to_itself) {
  request_.effect = 1;  // other work on the machine makes samples differ
  request_.seconds = 30;
  add_baseline("old.cu", kSlow);
  const Judgement judgement = judge(kSlow);
  ASSERT_EQ(judgement.comparisons.size(), 2u) << judgement.message;
  for (const BaselineComparison& each : judgement.comparisons)
    EXPECT_EQ(enum_name(each.speedup.relation), "equivalent") << each.speedup.low << ' ' << each.speedup.high;
  EXPECT_TRUE(judgement.is_not_slower());
  EXPECT_FALSE(judgement.is_slower());
}

TEST_F(Judged, a_kernel_with_more_work_is_slower_and_one_with_less_is_faster) {
  const std::string slower = kernel("  if (i < n) out[i] = work(work(in[i]) / 4 + work(in[i]) / 4);", kWork);
  request_.seconds = 30;
  add_baseline("old.cu", kSlow);
  const Judgement judgement = judge(slower);
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
  EXPECT_TRUE(judgement.is_slower());
  EXPECT_FALSE(judgement.is_not_slower());
  request_.baselines.clear();
  add_baseline("slow.cu", slower);
  const Judgement opposite = judge(kSlow);
  ASSERT_FALSE(opposite.comparisons.empty());
  EXPECT_EQ(enum_name(opposite.comparisons[0].speedup.relation), "faster");
}

TEST_F(Judged, a_wrong_element_is_named_with_its_problem) {
  const std::string text = kernel("  if (i < n) out[i] = i == 700 ? 1 : 2 * in[i];");
  expect(text, Ruling::wrong, JudgeStage::sanitize, "it is out[700]: 1, expected ");
  EXPECT_EQ(judge(text).problem, (Problem{{"n", 1009}}));
  EXPECT_EQ(judge(text).seed, 3u);
}

TEST_F(Judged, an_access_outside_a_buffer_is_named_with_its_line) {
  expect(kernel("  out[i] = 2 * in[i];"), Ruling::out_of_bounds, JudgeStage::sanitize, "mine.cu:6");
}

TEST_F(Judged, a_race_is_named_with_its_line) {
  expect(kernel("  __shared__ float first;\n  if (i < n) first = in[i];\n  if (i < n) out[i] = 2 * in[i];"),
         Ruling::race, JudgeStage::sanitize, "mine.cu:7");
}

TEST_F(Judged, a_kernel_that_stops_itself_has_crashed) {
  expect(kernel("  if (i == 5) __trap();\n  if (i < n) out[i] = 2 * in[i];"), Ruling::crashed,
         JudgeStage::sanitize, "trap");
}

TEST_F(Judged, an_endless_loop_hangs) {
  std::string space = kSpace;
  space.replace(space.find("time_limit: 1"), 13, "time_limit: 0.2");  // the sanitizer allows ten times that
  write_space(space);
  expect(kernel("  volatile int forever = 1;\n  while (forever) {}\n  if (i < n) out[i] = 2 * in[i];"),
         Ruling::hung, JudgeStage::sanitize, "ran longer than");
}

TEST_F(Judged, a_kernel_that_does_not_compile_is_named_with_the_compilers_message) {
  expect(kernel("  if (i < n) out[i] = 2 * im[i];"), Ruling::does_not_compile, JudgeStage::compile, "im");
}

TEST_F(Judged, a_candidate_without_a_configuration_for_a_problem_is_rejected) {
  std::string text = kHonest;
  text.insert(text.find("launches"), "constraints: [n < 2000]\n");
  expect(text, Ruling::does_not_compile, JudgeStage::compile, "no configuration is valid");
}

TEST_F(Judged, values_for_which_the_space_is_defined_are_tried) {
  expect(kernel("  if (i < n) out[i] = in[i] == 0 ? 1 : 2 * in[i];"), Ruling::wrong,
         JudgeStage::special_values, "; all elements of its floating-point inputs are 0");
}

// The quotient of the kernel and of the reference is NaN for zeros.
TEST_F(Judged, values_that_the_kernel_of_the_space_does_not_solve_are_no_fault) {
  std::string source = kSource;
  for (std::size_t at; (at = source.find("out[i] = ")) != source.npos;)
    source.replace(at, 9, "out[i]  = in[i] / in[i] * ");
  folder_.write("twice.cu", source);
  const Judgement judgement = judge(kernel("  if (i < n) out[i] = in[i] * 2;"));
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
}

TEST_F(Judged, a_result_for_infinite_inputs_and_for_nan_has_to_be_that_of_the_reference) {
  expect(kernel("  if (i < n) out[i] = fminf(2 * in[i], 3e38f);"), Ruling::wrong, JudgeStage::special_values,
         "all elements of its floating-point inputs are infinite");
  expect(kernel("  if (i < n && in[i] == in[i]) out[i] = 2 * in[i]; else if (i < n) out[i] = 0;"),
         Ruling::wrong, JudgeStage::special_values,
         "expected nan (the reference is NaN there); all elements of its");
}

TEST_F(Judged, integers_that_are_drawn_are_equal_in_one_execution) {
  std::string space = kSpace;
  space.replace(space.find("type: float"), 11, "type: int32");
  space.replace(space.find("[0.5, 1]"), 8, "[7, 900]");
  write_space(space);
  std::string source = kSource;
  for (std::size_t at; (at = source.find("const float* in")) != source.npos;)
    source.replace(at, 15, "const int*  in");
  folder_.write("twice.cu", source);
  std::string text = kernel("  if (i < n) out[i] = in[0] == 7 && in[1] == 7 && n == 1000 ? 3 : 2 * in[i];");
  text.replace(text.find("const float* in"), 15, "const int* in");
  expect(text, Ruling::wrong, JudgeStage::special_values, "[0]: 3, expected 14");
}

TEST_F(Judged, sizes_that_the_space_does_not_list_are_tried) {
  // The sanitizer tries 0 to 1009 and 3000.
  const std::string cheat = kernel("  if (i < n) out[i] = (n > 1009 && n % 1000 != 0 ? 3 : 2) * in[i];");
  open();
  const Judgement judgement = judge(cheat);
  EXPECT_EQ(enum_name(judgement.verdict), "wrong") << judgement.message;
  EXPECT_EQ(enum_name(judgement.stage), "near_sizes");
  const std::int64_t size = judgement.problem.find("n")->integer();
  EXPECT_GE(size, 3000 - 375);
  EXPECT_LT(size, 3000);
  EXPECT_EQ(judge(cheat).problem, judgement.problem) << "they can be tried again";
  EXPECT_NE(judge(cheat + "// other\n").problem, judgement.problem) << "a candidate cannot know them";
  const Judgement honest = judge(kHonest);
  EXPECT_TRUE(honest.is_accepted()) << honest.message;
  EXPECT_EQ(honest.near.size(), 2u);
}

TEST_F(Judged, sizes_for_which_a_kernel_has_no_configuration_are_not_tried) {
  std::string text = kHonest;
  text.insert(text.find("launches:"), "constraints: [n % 1000 == 0]\n");
  const Judgement judgement = judge(text);
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
  EXPECT_TRUE(judgement.near.empty());
}

TEST_F(Judged, results_that_are_kept_for_later_executions_are_cheating) {
  expect(kernel("  if (i >= n) return;\n  if (seen[i] != in[i]) kept[i] = work(in[i]);\n  seen[i] = in[i];\n"
                "  out[i] = kept[i];",
                kWork + "__device__ float seen[4096], kept[4096];\n"),
         Ruling::cheating, JudgeStage::time, "it reuses results");
}

TEST_F(Judged, host_code_is_marked_and_judged_by_executions_on_new_inputs_alone) {
  const auto function = [](const std::string& body) {
    return "/* gktune\nlanguage: host\nlaunches: {entry: mine, arguments: [in, out, n]}\n*/\n"
           "static int calls;\nvoid mine(const float* in, float* out, int n) {\n" +
           body + "\n}\n";
  };
  candidate_name_ = "mine.cc";
  request_.seconds = 0.2;
  open();
  request_.baselines.push_back({"default", request_.space});
  const Judgement right = judge(function("for (int i = 0; i < n; ++i) out[i] = 2 * in[i];"));
  EXPECT_TRUE(right.is_accepted()) << right.message;
  EXPECT_EQ(right.code, CodeClass::host_code);
  EXPECT_EQ(right.comparisons.size(), 2u);
  const Judgement wrong =
      judge(function("for (int i = 0; i < n; ++i) out[i] = n < 500 || i ? 2 * in[i] : 0;"));
  EXPECT_EQ(wrong.verdict, Ruling::wrong) << wrong.message;
  EXPECT_TRUE(contains(wrong.message, "out[0]"));
  candidate_name_ = "mine.cu";
  EXPECT_EQ(judge(kHonest).code, CodeClass::device_code);
}

TEST_F(Judged, a_candidate_with_parameters_is_compared_at_its_best_configuration) {
  const std::string text =
      "/* gktune\nparameters: {times: [1, 300]}\narguments: {own: {type: double, extent: n * times, role: "
      "scratch}}\n"
      "launches:\n  - {entry: first, grid: \"ceil_div(n, 128)\", block: 128, arguments: [in, own, n]}\n"
      "  - {entry: second, grid: \"ceil_div(n, 128)\", block: 128, arguments: [own, out, n]}\n*/\n"
      "__global__ void first(const float* in, double* own, int n) {\n"
      "  int i = blockIdx.x * 128 + threadIdx.x;\n  float x = 0;\n"
      "  if (i < n) for (int k = 0; k < times; ++k) x += in[i];\n  if (i < n) own[i] = x / times;\n}\n"
      "__global__ void second(const double* own, float* out, int n) {\n"
      "  int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < n) out[i] = 2 * own[i];\n}\n";
  add_baseline("old.cu", text);
  add_baseline("other.cu", kHonest);
  const Judgement judgement = judge(text);
  ASSERT_TRUE(judgement.is_accepted()) << judgement.message;
  ASSERT_EQ(judgement.comparisons.size(), 4u);
  EXPECT_EQ(judgement.comparisons[0].config, (Config{{"times", 1}}));
  EXPECT_EQ(judgement.comparisons[0].baseline_config, (Config{{"times", 1}}));
}

TEST_F(Judged, one_wrong_configuration_rejects_a_candidate) {
  std::string text = kernel("  if (i < n) out[i] = factor * in[i];");
  text.insert(text.find("launches"), "parameters: {factor: [2, 3]}\n");
  expect(text, Ruling::wrong, JudgeStage::sanitize, "differ");
}

TEST_F(Judged, a_reference_that_fails_is_not_the_candidates_fault) {
  std::string space = kSpace;
  space.replace(space.find("twice_reference"), 15, "absent_function");
  write_space(space);
  expect(kHonest, Ruling::not_judged, JudgeStage::compile, "absent_function");
}

TEST_F(Judged, time_that_is_over_decides_nothing) {
  add_baseline("old.cu", kHonest);
  request_.seconds = 1e-6;
  const Judgement judgement = judge(kHonest);
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
  ASSERT_EQ(judgement.comparisons.size(), 2u);
  EXPECT_EQ(enum_name(judgement.comparisons[0].speedup.relation), "undecided");
  EXPECT_FALSE(judgement.is_not_slower());
  std::string text = kHonest;
  text.insert(text.find("launches"), "parameters: {unused: [2, 3]}\n");
  expect(text, Ruling::not_judged, JudgeStage::time, "no configuration was tried in time");
}

TEST_F(Judged, a_few_rounds_are_played_in_the_other_regime_and_decide_nothing) {
  add_baseline("old.cu", kSlow);
  const Judgement judgement = judge(kSlow);
  ASSERT_EQ(judgement.in_other_regime.size(), 2u) << judgement.message;
  for (const BaselineComparison& each : judgement.comparisons) EXPECT_EQ(each.regime, Regime::cold);
  for (const BaselineComparison& each : judgement.in_other_regime) {
    EXPECT_EQ(each.regime, Regime::hot);
    EXPECT_GT(each.rounds, 0u);
    EXPECT_LE(each.rounds, 16u);
    EXPECT_GT(each.time_us, 0);
  }
}

TEST_F(Judged, the_metrics_of_the_space_are_compared_with_the_peaks_of_the_device) {
  write_space(kSpace + std::string("metrics: {GB/s: 8 * n / time_s / 1e9, words: n / width}\n"));
  open();
  request_.device.info.memory_clock_khz = 1'000'000;
  request_.device.info.memory_bus_bits = 64;  // 16 GB/s
  request_.baselines.push_back({"default", request_.space});
  const Judgement judgement = judge(kHonest);
  ASSERT_TRUE(judgement.is_accepted()) << judgement.message;
  ASSERT_EQ(judgement.limits.size(), 2u);
  const LimitShare& second = judgement.limits[1];
  EXPECT_EQ(second.problem, (Problem{{"n", 3000}}));
  EXPECT_EQ(enum_name(second.limit), "memory");
  EXPECT_DOUBLE_EQ(second.peak, 16);
  EXPECT_NEAR(second.share, 24.0 / judgement.comparisons[1].time_us / 16, 1e-9);
}

TEST_F(Judged, sizes_that_the_kernel_of_the_space_does_not_solve_are_not_sanitized) {
  const std::string outside = "  if (i < n) out[i] = 2 * in[i];\n  if (i == 0 && n == 1) out[n] = 1;";
  expect(kernel(outside), Ruling::out_of_bounds, JudgeStage::sanitize, "outside");
  std::string own = kSource;
  own.insert(own.find("}\n"), "  if (i == 0 && n == 1) out[n] = 1;\n");
  folder_.write("twice.cu", own);
  request_.space = nullptr;
  const Judgement judgement = judge(kernel(outside));
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
  ASSERT_FALSE(judgement.notes.empty());
  EXPECT_TRUE(contains(judgement.notes[0], "n=1, which the space's kernel does not solve"));
}

TEST_F(Judged, only_problems_of_the_judged_kinds_are_sanitized) {
  const auto in_t = [](std::string text) {
    for (std::size_t at = 0; (at = text.find("float", at)) != std::string::npos; ++at) text.replace(at, 5, "T");
    return text;
  };
  std::string space = kSpace;
  space.replace(space.find("{n: [1000, 3000]}"), 17, "{T: [float, int], n: [1000, 3000]}");
  for (const std::string typed : {"in: {type: ", "out: {type: "})
    space.replace(space.find(typed + "float"), typed.size() + 5, typed + "\"{T}\"");
  write_space(space);
  folder_.write("twice.cu", in_t(kSource));
  open();
  EXPECT_FALSE(judge(kHonest).is_accepted());  // an int has other bits
  std::erase_if(request_.problems, [](const Problem& problem) { return *problem.find("T") == Value("int"); });
  const Judgement judgement = judge(kHonest);
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message << ' ' << judgement.problem.str();
}

TEST_F(Judged, one_judge_goes_on_after_candidates_that_hang_and_crash) {
  open();
  Judge judge(request_, {});
  const std::pair<std::string, Ruling> candidates[] = {
      {kernel("  volatile int go = n == 1000;\n  while (go) {\n  }\n  if (i < n) out[i] = 2 * in[i];"),
       Ruling::hung},
      {kernel("  if (n == 1000) __trap();\n  if (i < n) out[i] = 2 * in[i];"), Ruling::crashed},
      {kernel("  if (i < n) out[i] = 2 * im[i];"), Ruling::does_not_compile},
      {kHonest, Ruling::accepted}};
  for (const auto& [text, ruling] : candidates) {
    const auto judgement = judge.judge(read("mine.cu", text));
    ASSERT_TRUE(judgement.ok()) << judgement.error().message;
    EXPECT_EQ(enum_name(judgement->verdict), enum_name(ruling)) << judgement->message;
  }
}

TEST_F(Judged, a_compiler_for_gpus_reads_no_files_outside_its_sandbox) {
  if (const auto supported = check_sandbox(); !supported) GTEST_SKIP() << supported.error().message;
  open();
  const ScratchFolder other;
  other.write("secret", "a_secret_word");
  const auto gpu = find_device({.kind = DeviceChoice::Kind::architecture, .architecture = "sm_90"},
                               request_.workers.argv, {});
  if (!gpu) GTEST_SKIP() << gpu.error().message;
  WorkerSettings workers = request_.workers;
  workers.cache_dir = make_private_folder(workers.cache_dir).value();
  workers.argv.insert(workers.argv.end(), {"--sandbox", workers.cache_dir.string()});
  const auto compiled = [&](const std::string& text) {
    return check_space({.definition = read("mine.cu", text), .device = *gpu, .workers = workers}, {}).value();
  };
  EXPECT_EQ(compiled(kHonest).failed(), 0);
  const CheckResult result =
      compiled(kernel("  if (i < n) out[i] = 2 * in[i];", "#include \"" + other.path("secret") + "\"\n"));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].status, Status::compile_failed);
  EXPECT_FALSE(contains(result.findings[0].message, "a_secret_word")) << result.findings[0].message;
}

TEST_F(Judged, a_baseline_that_fails_decides_nothing) {
  add_baseline("old.cu", kernel("  if (i < n) out[i] = 3 * in[i];"));
  const Judgement judgement = judge(kHonest);
  EXPECT_TRUE(judgement.is_accepted()) << judgement.message;
  EXPECT_FALSE(judgement.is_not_slower());
  EXPECT_FALSE(judgement.is_slower());
  ASSERT_FALSE(judgement.comparisons.empty());
  EXPECT_TRUE(contains(judgement.comparisons[0].failure, "differ"));
  EXPECT_TRUE(judgement.means.empty());
}

TEST_F(Judged, a_stop_ends_it) {
  open();
  const Definition candidate = read("mine.cu", kHonest);
  const auto judgement = Judge(request_, {.on_stage = {}, .stop = [] { return true; }}).judge(candidate);
  ASSERT_TRUE(judgement.ok());
  EXPECT_TRUE(judgement->was_stopped);
  EXPECT_TRUE(judgement->comparisons.empty());
}

}  // namespace
}  // namespace gktune
