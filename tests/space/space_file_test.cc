#include "tuner/space/space_file.h"

#include <gtest/gtest.h>

#include "reduce_example.h"
#include "tests/expectations.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

TEST(SpaceFile, a_source_instead_of_a_space_file_is_an_error_that_names_import) {
  ScratchFolder folder;
  folder.write("k.cu", "__global__ void k() {}\n");
  const auto read = read_space_file(folder.path("k.cu"));
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(contains(read.error().front().str(), "this is a source, not a space file\n  gktune import "));
}

TEST(SpaceFile, holds_the_axes_with_their_macros) {
  const auto axes = read_reduce().kernel.axes;
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[0].values, (std::vector<Value>{"int32", "float"}));
  EXPECT_EQ(axes[0].macro, "T");
  EXPECT_EQ(axes[1].values, (std::vector<Value>{1 << 20, 64 << 20}));
  EXPECT_EQ(axes[1].macro, "");
  EXPECT_EQ(axes[2].macro, "DISTRIBUTION");
}

TEST(SpaceFile, holds_the_parameters_in_the_order_of_the_file) {
  const auto parameters = read_reduce().parameters;
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].name, "threadsPerBlock");
  EXPECT_EQ(parameters[0].values, (std::vector<Value>{64, 128, 256, 512, 1024}));
  EXPECT_EQ(parameters[0].default_value, Value(256));
  EXPECT_EQ(parameters[1].values, (std::vector<Value>{4, 8, 12, 16}));
  EXPECT_EQ(parameters[2].values, (std::vector<Value>{"two_pass", "one_pass"}));
  EXPECT_EQ(parameters[3].values, (std::vector<Value>{true, false}));
}

TEST(SpaceFile, finds_sources_from_its_own_folder) {
  const auto kernel = read_reduce().kernel;
  EXPECT_EQ(kernel.source_path, "templates/reduce.cu");
  EXPECT_EQ(kernel.reference->path, "templates/reference.cu");
  EXPECT_EQ(kernel.include_dirs, (std::vector<std::string>{"templates"}));
  EXPECT_EQ(kernel.language, Language::cuda);
}

TEST(SpaceFile, holds_times_regime_and_search) {
  const auto definition = read_reduce();
  EXPECT_EQ(definition.kernel.regime, Regime::hot);
  EXPECT_DOUBLE_EQ(definition.kernel.time_limit_s, 0.5);
  EXPECT_EQ(definition.search.trials, 200);
  EXPECT_DOUBLE_EQ(definition.search.seconds, 60);
}

TEST(SpaceFile, the_host_section_replaces_keys_only_on_the_host) {
  const auto host = read_reduce(kReduceSpace, {.device_kind = "host", .strategies = {}});
  EXPECT_EQ(host.kernel.axes[1].values, (std::vector<Value>{64 << 10}));
  EXPECT_EQ(host.parameters[0].values, (std::vector<Value>{64, 256}));
  EXPECT_EQ(host.parameters[0].default_value, Value(256));
  EXPECT_EQ(host.search.trials, 60);
  EXPECT_DOUBLE_EQ(host.search.seconds, 60);
  EXPECT_EQ(host.fingerprint, read_reduce().fingerprint);
}

constexpr const char* kListedSpace = R"yaml(
kernel: matmul
source: ../templates/reduce.cu
problem:
  - {m: [1Ki, 2Ki], n: 2Ki, T: int}
  - {T: float, m: 4097, n: 1023}
launches: {entry: k, grid: m}
host:
  problem: {m: [8, 9]}
)yaml";

TEST(SpaceFile, problems_may_be_listed_one_by_one) {
  const auto kernel = read_reduce(kListedSpace).kernel;
  EXPECT_EQ(kernel.listed_problems, (std::vector<Problem>{{{"m", 1024}, {"n", 2048}, {"T", "int"}},
                                                          {{"m", 2048}, {"n", 2048}, {"T", "int"}},
                                                          {{"m", 4097}, {"n", 1023}, {"T", "float"}}}));
  ASSERT_EQ(kernel.axes.size(), 3u);
  EXPECT_EQ(kernel.axes[0].values, (std::vector<Value>{1024, 2048, 4097}));
  EXPECT_EQ(kernel.axes[2].values, (std::vector<Value>{"int", "float"}));
  EXPECT_EQ(kernel.axes[2].macro, "T");
}

TEST(SpaceFile, an_axis_of_the_host_replaces_it_in_each_listed_problem) {
  const auto kernel = read_reduce(kListedSpace, {.device_kind = "host", .strategies = {}}).kernel;
  EXPECT_EQ(kernel.listed_problems, (std::vector<Problem>{{{"m", 8}, {"n", 2048}, {"T", "int"}},
                                                          {{"m", 9}, {"n", 2048}, {"T", "int"}},
                                                          {{"m", 8}, {"n", 1023}, {"T", "float"}},
                                                          {{"m", 9}, {"n", 1023}, {"T", "float"}}}));
}

TEST(SpaceFile, a_search_has_normal_effort_unless_it_says_otherwise) {
  const auto effort_of = [](const std::string& search) {
    const auto read = read_space_text("kernel: k\nsource: k.cu\nlaunches: {entry: f}\n" + search, "k.yaml",
                                      {.device_kind = "cuda", .strategies = {}}, files_of({{"k.cu", ""}}));
    return read.ok() ? read->search.effort : Effort::quick;
  };
  EXPECT_EQ(effort_of(""), Effort::normal);
  EXPECT_EQ(effort_of("search: {effort: thorough}\n"), Effort::thorough);
}

TEST(SpaceFile, has_separate_problems_for_the_sanitizer) {
  EXPECT_TRUE(read_reduce(kListedSpace).check_problems.empty());
  const std::string with_sizes = std::string(kListedSpace) + "check: {problem: {n: [7, 9]}}\n";
  const auto read = read_reduce(with_sizes);
  EXPECT_EQ(read.check_problems, (std::vector<Problem>{{{"m", 1024}, {"n", 7}, {"T", "int"}},
                                                       {{"m", 1024}, {"n", 9}, {"T", "int"}},
                                                       {{"m", 2048}, {"n", 7}, {"T", "int"}},
                                                       {{"m", 2048}, {"n", 9}, {"T", "int"}},
                                                       {{"m", 4097}, {"n", 7}, {"T", "float"}},
                                                       {{"m", 4097}, {"n", 9}, {"T", "float"}}}));
  EXPECT_EQ(read.kernel.listed_problems, read_reduce(kListedSpace).kernel.listed_problems);
  EXPECT_EQ(read.fingerprint, read_reduce(kListedSpace).fingerprint);
  const auto on_host = read_reduce(with_sizes, {.device_kind = "host", .strategies = {}});
  EXPECT_EQ(on_host.check_problems.front(), (Problem{{"m", 8}, {"n", 7}, {"T", "int"}}));
  const auto listed = read_reduce(std::string(kListedSpace) + "check: {problem: [{m: 3, n: 5, T: int}]}\n");
  EXPECT_EQ(listed.check_problems, (std::vector<Problem>{{{"m", 3}, {"n", 5}, {"T", "int"}}}));
}

TEST(SpaceFile, names_other_contents_of_inputs_for_fresh_executions) {
  const std::string text =
      "kernel: k\nsource: k.cu\nproblem: {n: [100]}\nlaunches: {entry: k}\narguments:\n"
      "  x: {type: float, extent: n, init: {ramp: [0, 1]}}\n"
      "  y: {type: float, extent: n, init: zero}\n"
      "check: {inputs: {x: {uniform: [n, 200]}}}\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of({{"k.cu", ""}}));
  ASSERT_TRUE(read.ok()) << read.error().front().str();
  EXPECT_TRUE(read->check_problems.empty());
  const auto plan = resolve(read->kernel, {}, {{"n", 100}}, {});
  EXPECT_EQ(plan->arguments[0].contents.kind, ContentsKind::ramp);
  ASSERT_EQ(plan->arguments[0].others.size(), 1);
  EXPECT_EQ(plan->arguments[0].others[0].kind, ContentsKind::uniform);
  EXPECT_EQ(plan->arguments[0].others[0].a, 100);
  EXPECT_TRUE(plan->arguments[1].others.empty());
}

TEST(SpaceFile, names_several_other_contents_that_fresh_executions_take_in_turn) {
  const std::string text =
      "kernel: k\nsource: k.cu\nproblem: {n: [100]}\nlaunches: {entry: k}\narguments:\n"
      "  x: {type: float, extent: n, init: {file: x.npy}}\n"
      "check: {inputs: {x: [{file: \"x_{n}_1.npy\"}, {file: \"x_{n}_2.npy\"}]}}\n";
  const auto read = read_space_text(text, "k.yaml", {}, files_of({{"k.cu", ""}}));
  ASSERT_TRUE(read.ok()) << read.error().front().str();
  const auto plan = resolve(read->kernel, {}, {{"n", 100}}, {});
  ASSERT_EQ(plan->arguments[0].others.size(), 2);
  EXPECT_EQ(plan->arguments[0].others[0].file, "x_100_1.npy");
  EXPECT_EQ(plan->arguments[0].others[1].file, "x_100_2.npy");
}

TEST(SpaceFile, a_search_strategy_has_one_of_the_known_names) {
  const auto read =
      read_space_text("kernel: k\nsource: k.cu\nlaunches: {entry: f}\nsearch: {strategy: randon}\n", "k.yaml",
                      {.device_kind = "cuda", .strategies = {"auto", "random"}}, files_of({{"k.cu", ""}}));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error()[0].message, "unknown strategy 'randon', did you mean 'random'?");
}

TEST(SpaceFile, parts_of_a_file_may_be_named_and_repeated) {
  const auto definition = read_reduce(
      "kernel: k\nsource: ../templates/reduce.cu\nlaunches: {entry: f}\n"
      "arguments:\n  a: &buffer {type: int, extent: 4, init: zero}\n  b: *buffer\n");
  ASSERT_EQ(definition.kernel.arguments.size(), 2u);
  EXPECT_EQ(definition.kernel.arguments[1].extent->text(), "4");
}

TEST(SpaceFile, empty_keys_are_ignored) {
  const auto definition = read_reduce(
      "kernel: k\nsource: ../templates/reduce.cu\nlaunches: {entry: f}\nproblem:\nparameters:\nlet:\n"
      "constraints:\n  # - a > b\noptions:\narguments:\nmetrics:\nhost:\n");
  EXPECT_TRUE(definition.constraints.empty());
}

}  // namespace
}  // namespace gktune
