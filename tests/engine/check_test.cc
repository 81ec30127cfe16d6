#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

#include "engine/check_session.h"
#include "tests/engine/texts.h"
#include "tests/example_database.h"
#include "tests/templates/made_up_gpu.h"
#include "tuner/device/replay/replay_device.h"
#include "tuner/space/definition.h"
#include "tuner/space/space_file.h"
#include "tuner/tune.h"

namespace gktune {
namespace {

TEST(CheckProblems, problems_with_the_same_source_are_compiled_once) {
  const std::vector<Axis> axes = {{"T", {"int", "float"}, "T"}, {"n", {1 << 10, 1 << 20}, ""}};
  EXPECT_EQ(texts(one_for_each_source(axes, cross_product(axes))), (Texts{"T=int,n=1Ki", "T=float,n=1Ki"}));
}

TEST(CheckProblems, awkward_sizes_replace_those_of_the_file) {
  KernelDefinition kernel;
  kernel.axes = {{"T", {"int", "float"}, "T"}, {"n", {1 << 10, 1 << 20}, ""}};
  EXPECT_EQ(texts(awkward_problems(kernel)),
            (Texts{"T=int,n=0", "T=int,n=1", "T=int,n=31", "T=int,n=33", "T=int,n=257", "T=int,n=1009",
                   "T=int,n=9001", "T=float,n=0", "T=float,n=1", "T=float,n=31", "T=float,n=33",
                   "T=float,n=257", "T=float,n=1009", "T=float,n=9001"}));
}

TEST(CheckProblems, awkward_sizes_stay_below_what_the_file_lists) {
  KernelDefinition kernel;
  kernel.axes = {{"width", {3, 5}, ""}, {"n", {1 << 20}, ""}};
  EXPECT_EQ(texts(awkward_problems(kernel)),
            (Texts{"width=0,n=1", "width=1,n=31", "width=5,n=33", "width=5,n=257", "width=5,n=1009",
                   "width=5,n=0", "width=5,n=9001"}));
}

// The file lists a small and a large size: the large one limits the awkward sizes.
TEST(CheckProblems, some_sizes_fill_several_blocks_and_a_part_of_one) {
  KernelDefinition kernel;
  kernel.axes = {{"n", {1, 1000}, ""}};
  EXPECT_EQ(texts(awkward_problems(kernel)), (Texts{"n=0", "n=1", "n=31", "n=33", "n=257", "n=1000"}));
  kernel.axes = {{"rows", {4096}, ""}, {"columns", {1, 1 << 20}, ""}, {"depth", {64}, ""}};
  EXPECT_EQ(texts(awkward_problems(kernel)).back(), "rows=5,columns=9001,depth=5");
}

TEST(CheckProblems, sizes_grow_until_they_fill_several_large_blocks) {
  const auto problems = [](const std::string& n, const std::string& grid) {
    const auto definition = read_space_text(
        "kernel: k\nsource: k.cu\nproblem: {T: [int], n: " + n +
            "}\nparameters: {items: [1, 16]}\nlaunches:\n"
            "  - {entry: k, grid: \"" +
            grid + "\", block: 1024}\n",
        "k.yaml", {}, [](const std::string&) -> Result<std::string> { return std::string(); });
    EXPECT_TRUE(definition.ok()) << definition.error()[0].str();
    DeviceInfo device = made_up_gpu("sm_90");
    device.kind = "host";
    return texts(problems_of_several_blocks(*definition, awkward_problems(definition->kernel), device));
  };
  const std::string by_block = "max(1, ceil_div(n, 1024 * items))";
  EXPECT_EQ(problems("[1, 1Mi]", by_block), (Texts{"T=int,n=18003"}));
  EXPECT_EQ(problems("[1Mi]", "max(1, ceil_div(n, 3000 * items))"), (Texts{"T=int,n=72015"}));
  // Sizes are not larger than those of the file, and do not grow if the grid does not depend on them.
  EXPECT_EQ(problems("[1, 17000]", by_block), (Texts{"T=int,n=17000"}));
  EXPECT_EQ(problems("[1, 9500]", by_block), Texts{});
  EXPECT_EQ(problems("[1Mi]", "1"), Texts{});
  EXPECT_EQ(problems("[1Mi]", "max(1, ceil_div(n, 1024))"), Texts{});
}

TEST(CheckProblems, values_of_different_listed_problems_are_not_combined) {
  KernelDefinition kernel;
  kernel.axes = {{"T", {"int", "float"}, "T"}, {"way", {"up", "down"}, ""}, {"n", {100, 20}, ""}};
  kernel.listed_problems = {{{"T", "int"}, {"way", "up"}, {"n", 100}},
                            {{"T", "float"}, {"way", "down"}, {"n", 20}},
                            {{"T", "int"}, {"way", "up"}, {"n", 20}}};
  for (const std::string& text : texts(awkward_problems(kernel)))
    EXPECT_TRUE(text.starts_with("T=int,way=up,") || text.starts_with("T=float,way=down,")) << text;
  EXPECT_EQ(texts(awkward_problems(kernel)).size(), 10u);
}

TEST(CheckProblems, sizes_that_decide_an_input_from_a_file_are_unchanged) {
  const auto read = read_space_text(
      "kernel: k\nsource: k.cu\nproblem: {n: [4096], m: [5000], k: [3]}\nlet: {half: m // 2}\narguments:\n"
      "  in: {type: float, extent: half, init: {file: \"in_{n}.npy\"}}\n"
      "  out: {type: float, extent: k, role: out}\nlaunches: {entry: k}\n",
      "k.yaml", {}, [](const std::string&) -> Result<std::string> { return std::string(); });
  ASSERT_TRUE(read.ok()) << read.error()[0].str();
  EXPECT_EQ(texts(awkward_problems(read->kernel)),
            (Texts{"n=4Ki,m=5000,k=0", "n=4Ki,m=5000,k=1", "n=4Ki,m=5000,k=3"}));
}

TEST(CheckProblems, a_problem_is_empty_if_a_size_is_zero) {
  EXPECT_TRUE(is_empty({{"T", "int"}, {"n", 0}, {"m", 3}}));
  EXPECT_FALSE(is_empty({{"T", "0"}, {"n", 1}, {"share", 0.0}}));
}

// Checks candidates that end in these trials.
CheckResult check_of(const std::vector<Trial>& trials, std::size_t in_flight = 1) {
  ReplayDevice device({}, trials, in_flight);
  std::size_t next = 0;
  return check(device, {}, [&](Candidate& candidate) {
    if (next == trials.size()) return false;
    candidate.config = trials[next].config;
    candidate.problem = trials[next++].problem;
    return true;
  });
}

TEST(CheckSession, failures_with_the_same_message_are_one_finding) {
  const std::vector<Trial> trials = {good_trial(1, 10), bad_trial(2, Status::compile_failed, "k.cu:3: error"),
                                     bad_trial(3, Status::compile_failed, "k.cu:3: error"),
                                     bad_trial(4, Status::compile_failed, "k.cu:9: error")};
  const CheckResult result = check_of(trials, 2);
  EXPECT_EQ(result.checked, 4);
  EXPECT_EQ(result.failed(), 3);
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].trials.size(), 2u);
  EXPECT_EQ(result.findings[0].trials[0].config, trials[1].config);
  EXPECT_EQ(result.failures(), (Failures{{Status::compile_failed, 3}}));
  EXPECT_FALSE(result.was_stopped);
}

TEST(CheckSession, a_failing_machine_ends_the_check_and_is_not_a_finding) {
  std::vector<Trial> trials = {good_trial(1, 10)};
  for (int i = 0; i < kMostUnjudged; ++i)
    trials.push_back(bad_trial(2 + i, Status::machine_failed, "no space"));
  trials.push_back(good_trial(3 + kMostUnjudged, 10));
  const CheckResult result = check_of(trials);
  EXPECT_EQ(result.checked, 1);
  EXPECT_EQ(result.unchecked, kMostUnjudged);
  EXPECT_EQ(result.failure, "no space");
  EXPECT_TRUE(result.findings.empty());
}

TEST(CheckSession, a_candidate_that_cannot_be_judged_is_reported_and_does_not_end_the_check) {
  const CheckResult result =
      check_of({good_trial(1, 10), bad_trial(2, Status::machine_failed, "killed"), good_trial(3, 10)});
  EXPECT_EQ(result.checked, 2);
  EXPECT_EQ(result.unchecked, 1);
  EXPECT_EQ(result.failure, "killed");
  EXPECT_TRUE(result.findings.empty());
}

TEST(CheckSession, a_failing_reference_is_one_finding_and_ends_only_its_problem) {
  const Problem small = {{"n", 1}}, large = {{"n", 1000}};
  std::vector<Trial> trials;
  for (int i = 1; i <= 4; ++i) {
    trials.push_back(bad_trial(i, Status::reference_failed, "the reference: a trap"));
    trials.back().problem = small;
    trials.push_back(good_trial(i, 10));
    trials.back().problem = large;
  }
  const CheckResult result = check_of(trials, 2);
  EXPECT_EQ(result.checked, 4);
  EXPECT_EQ(result.passed.size(), 4u);
  EXPECT_EQ(result.failure, std::nullopt);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message, "the reference: a trap");
  ASSERT_EQ(result.findings[0].trials.size(), 1u);
  EXPECT_EQ(result.findings[0].trials[0].problem, small);
  EXPECT_TRUE(result.findings[0].trials[0].config.empty());
}

// The configuration would probably hang on each of them.
TEST(CheckSession, a_configuration_that_hung_is_not_tried_on_other_problems) {
  std::vector<Trial> trials;
  for (const int n : {1, 31, 257}) {
    trials.push_back(bad_trial(1, n == 1 ? Status::timed_out : Status::ok, "ran longer than 10 s"));
    trials.push_back(good_trial(2, 10));
    for (std::size_t i = trials.size() - 2; i < trials.size(); ++i) trials[i].problem = {{"n", n}};
  }
  const CheckResult result = check_of(trials, 2);
  EXPECT_EQ(result.checked, 4);
  EXPECT_EQ(result.left_out, 2);
  EXPECT_EQ(result.failures(), (Failures{{Status::timed_out, 1}}));
}

// A device that runs only the last submitted candidate; the others can be withdrawn. Odd configurations fail
// if the device is `picky`.
class BusyDevice final : public Device {
 public:
  explicit BusyDevice(bool is_picky = false) : is_picky_(is_picky) {}
  const DeviceInfo& info() const override { return info_; }
  std::size_t capacity() const override { return 4; }
  void submit(Candidate candidate) override { in_flight_.push_back(std::move(candidate)); }
  Trial next() override {
    const Config config = in_flight_.back().config;
    in_flight_.pop_back();
    const bool fails = is_picky_ && config.find("threadsPerBlock")->integer() % 2 == 1;
    Trial trial = fails ? bad_trial(1, Status::wrong_result, config.str()) : good_trial(1, 10);
    trial.config = config;
    return trial;
  }
  std::size_t withdraw() override {
    const std::size_t count = in_flight_.size() - 1;
    in_flight_.erase(in_flight_.begin(), in_flight_.end() - 1);
    return count;
  }
  std::vector<Trial> playoff(const Problem&, std::vector<Config>, Rounds, const PlayoffWatch&) override {
    return {};
  }

 private:
  DeviceInfo info_;
  bool is_picky_;
  std::vector<Candidate> in_flight_;
};

// Checks the configurations 1 to `count`. From question `stop` on, the answer to whether to stop is yes.
CheckResult check_on_busy_device(int count, int stop, BusyDevice device = BusyDevice()) {
  int asked = 0, sent = 0;
  return check(device, {{}, [&] { return ++asked >= stop; }}, [&](Candidate& candidate) {
    if (sent == count) return false;
    candidate.config = good_trial(++sent, 10).config;
    return true;
  });
}

TEST(CheckSession, passed_candidates_keep_their_order) {
  const CheckResult result = check_on_busy_device(7, 1000);
  ASSERT_EQ(result.passed.size(), 7u);
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(result.passed[static_cast<std::size_t>(i)].config, good_trial(i + 1, 10).config) << i;
}

TEST(CheckSession, findings_keep_the_order_of_their_candidates) {
  const CheckResult result = check_on_busy_device(7, 1000, BusyDevice(true));
  ASSERT_EQ(result.findings.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    const auto& trials = result.findings[static_cast<std::size_t>(i)].trials;
    EXPECT_EQ(trials.front().config, good_trial(2 * i + 1, 10).config) << i;
  }
}

TEST(CheckSession, a_stop_waits_only_for_running_candidates) {
  const CheckResult result = check_on_busy_device(100, 4);
  EXPECT_TRUE(result.was_stopped);
  EXPECT_EQ(result.checked, 1);
}

TEST(CheckSession, a_stop_takes_effect_after_the_last_candidate_was_submitted) {
  const CheckResult result = check_on_busy_device(3, 5);
  EXPECT_TRUE(result.was_stopped);
  EXPECT_EQ(result.checked, 2);
}

TEST(CheckSession, nothing_more_begins_when_the_time_is_over) {
  BusyDevice device;
  const auto slow = [](Candidate& candidate) {
    candidate.config = good_trial(1, 10).config;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return true;
  };
  const CheckResult result = check(device, {.on_progress = {}, .stop = {}, .begins_for_s = 0.02}, slow);
  EXPECT_TRUE(result.was_late);
  EXPECT_FALSE(result.was_stopped);
  EXPECT_EQ(result.checked, 1);
}

TEST(CheckSession, a_check_that_is_complete_does_not_count_as_stopped) {
  const CheckResult result = check_on_busy_device(1, 3);
  EXPECT_FALSE(result.was_stopped);
  EXPECT_EQ(result.checked, 1);
}

}  // namespace
}  // namespace gktune
