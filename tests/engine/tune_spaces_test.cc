// Whole tunings through the library alone, on the host device.
#include "engine/tune_spaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/winners_source.h"
#include "engine/check_session.h"
#include "tests/scratch_folder.h"

namespace gktune {
namespace {

constexpr const char* kSpaces = GKTUNE_SOURCE_DIR "/tests/cli/spaces/";

TEST(Engine, tunes_a_space_file_and_stores_the_winner_of_each_problem) {
  const ScratchFolder folder;
  const WorkerSettings workers{.argv = {GKTUNE_PROGRAM, "worker"}, .cache_dir = folder / "cache"};
  const std::unique_ptr<Database> in_file = *Database::open(folder / "gktune.db", Database::Access::write);
  Database& store = *in_file;
  auto opened =
      open_spaces({std::string(kSpaces) + "twice.yaml"}, {DeviceChoice::Kind::host}, workers.argv, {});

  std::vector<Tuning> tunings;
  const RunEvents events{.on_tuned = [&](const Tuning& tuning) { tunings.push_back(tuning); },
                         .on_error = [](const EngineError& error) { ADD_FAILURE() << error.message; }};
  EXPECT_EQ(tune_spaces(opened->front(), {.workers = workers}, store, events), RunEnd::complete);

  ASSERT_EQ(tunings.size(), 2u);
  auto best = store.winners("twice");
  ASSERT_EQ(best->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*best)[i].trial.config, tunings[i].outcome.best->config);
    EXPECT_EQ((*best)[i].from_playoff, !tunings[i].outcome.playoff.empty());
  }
  // The lookup finds the constraints, without definitions, and the default.
  const auto winners = store.kernel_winners();
  const KernelWinners& of_kernel = winners->at("twice");
  ASSERT_EQ(of_kernel.versions.size(), 1u);
  const KernelSpace& space = of_kernel.versions.front().space;
  EXPECT_EQ(space.default_config, opened->front().definitions.front().kernel.default_values);
  EXPECT_NE(std::ranges::find(space.constraints, "(threadsPerBlock <= 1024)"), space.constraints.end())
      << space.constraints.size();
  EXPECT_EQ(tune_spaces(opened->front(), {.workers = workers}, store, events), RunEnd::complete);
  EXPECT_EQ(tunings.back().outcome.measured, 0);
  EXPECT_EQ(tunings.back().earlier, 2);
}

// Tunes kernels that the tests write.
class EngineKernels : public testing::Test {
 protected:
  void tune(const std::string& reference, std::optional<Effort> effort = std::nullopt) {
    folder_.write("talk.cu", R"(
#include <stdio.h>
__global__ void talk(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
  if (i == 3) printf("thread %d of %d\n", i, int(blockDim.x));
}
__global__ void write_nothing(int*, int) {}
)");
    folder_.write("talk.yaml", R"yaml(
kernel: talk
source: talk.cu
problem: {n: [64]}
parameters: {threads: [32, 64], way: [plain, other]}
constraints: ["way == 'plain'"]
arguments:
  out: {type: int32, extent: n, role: out}
  n: {type: int32, value: n}
launches: {entry: talk, grid: "ceil_div(n, threads)", block: threads, arguments: [out, n]}
)yaml" + reference);
    const WorkerSettings workers{.argv = {GKTUNE_PROGRAM, "worker"}, .cache_dir = folder_ / "cache"};
    auto opened = open_spaces({folder_.path("talk.yaml")}, {DeviceChoice::Kind::host}, workers.argv, {});
    const RunEvents events{.on_trial = [&](const Trial& trial) { printed_.push_back(trial.printed); },
                           .on_tuned = [&](const Tuning& tuning) { tunings_.push_back(tuning); }};
    store_ = *Database::in_memory();
    tune_spaces(opened->front(), {.workers = workers, .effort = effort}, *store_, events);
    ASSERT_EQ(tunings_.size(), 1u);
  }

  ScratchFolder folder_;
  std::unique_ptr<Database> store_;  // of the last tuning
  std::vector<std::string> printed_;
  std::vector<Tuning> tunings_;
};

TEST_F(EngineKernels, pass_on_what_they_print_trial_by_trial) {
  tune("");
  std::ranges::sort(printed_);
  EXPECT_EQ(printed_, (std::vector<std::string>{"thread 3 of 32\n", "thread 3 of 64\n"}));
  EXPECT_FALSE(tunings_[0].is_checked);
}

TEST_F(EngineKernels, store_the_texts_that_no_trial_has_for_exported_headers) {
  tune("");
  EXPECT_EQ(store_->texts("talk")->parameters,
            (std::map<std::string, std::set<std::string>>{{"way", {"other", "plain"}}}));
}

TEST_F(EngineKernels, end_with_one_message_if_the_reference_writes_nothing) {
  tune("reference: {launches: {entry: write_nothing, arguments: [out, n]}}\n");
  EXPECT_TRUE(tunings_[0].is_checked);
  EXPECT_EQ(tunings_[0].outcome.end, TuneOutcome::End::reference_failed);
  EXPECT_EQ(tunings_[0].outcome.failure, "the reference: leaves 64 of 64 elements of 'out' unwritten");
  EXPECT_TRUE(tunings_[0].trials.empty());
}

TEST_F(EngineKernels, end_with_one_message_if_the_reference_cannot_be_launched) {
  const std::pair<const char*, const char*> cases[] = {
      {"block: 4096", "the reference: launch of 'talk': block '4096': 4096 is more than the device's 1024"},
      {"shared: 1Gi", "the reference: launch of 'talk': shared '1Gi': 1073741824 is more than the device's "},
      {"grid: n - 64",
       "the reference: none of its launches has work for this problem, so 'out' stays unwritten"}};
  for (const auto& [geometry, message] : cases) {
    tunings_.clear();
    tune("reference: {launches: {entry: talk, " + std::string(geometry) + ", arguments: [out, n]}}\n");
    EXPECT_EQ(tunings_[0].outcome.end, TuneOutcome::End::reference_failed);
    EXPECT_TRUE(tunings_[0].outcome.failure->starts_with(message)) << *tunings_[0].outcome.failure;
    EXPECT_TRUE(tunings_[0].trials.empty());
  }
}

TEST_F(EngineKernels, are_searched_within_the_limits_of_the_file_unless_an_effort_is_given) {
  tune("search: {trials: 1}\n");
  EXPECT_EQ(tunings_[0].outcome.measured, 1);
  EXPECT_EQ(tunings_[0].budget_s, 0);
  tunings_.clear();
  tune("search: {trials: 1, effort: thorough}\n", Effort::quick);
  EXPECT_EQ(tunings_[0].outcome.measured, 2);
  EXPECT_EQ(tunings_[0].budget_s, 2.5);
}

TEST_F(EngineKernels, get_the_time_budget_of_the_effort_in_the_file) {
  tune("search: {effort: quick}\n");
  EXPECT_EQ(tunings_[0].budget_s, 2.5);
  tunings_.clear();
  tune("search: {effort: quick, trials: 2}\n");
  EXPECT_EQ(tunings_[0].budget_s, 0);
}

class EngineErrors : public testing::Test {
 protected:
  OpenedSpaces opened(const std::string& name) const {
    auto groups = open_spaces({kSpaces + name}, {DeviceChoice::Kind::host}, {GKTUNE_PROGRAM, "worker"},
                              [](const auto&) {});
    return std::move(groups.value().front());
  }

  ScratchFolder folder_;
  WorkerSettings workers_{.argv = {GKTUNE_PROGRAM, "worker"}, .cache_dir = folder_ / "cache"};
};

TEST_F(EngineErrors, errors_in_a_space_file_are_reported_with_their_places) {
  auto broken =
      open_spaces({std::string(kSpaces) + "broken.yaml"}, {DeviceChoice::Kind::host}, workers_.argv, {});
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, EngineError::Kind::invalid);
  EXPECT_FALSE(broken.error().diagnostics.empty());
}

TEST_F(EngineErrors, workers_that_do_not_start_are_reported_as_a_missing_device) {
  auto none =
      open_spaces({std::string(kSpaces) + "twice.yaml"}, {DeviceChoice::Kind::host}, {"/bin/false"}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, EngineError::Kind::no_device);
}

TEST_F(EngineErrors, a_cache_that_cannot_be_written_is_an_error_that_fails_no_trial) {
  folder_.write("file", "");
  workers_.cache_dir = folder_ / "file" / "cache";
  const std::unique_ptr<Database> in_memory = *Database::in_memory();
  Database& store = *in_memory;
  std::vector<EngineError::Kind> kinds;
  const RunEvents events{.on_error = [&](const EngineError& error) { kinds.push_back(error.kind); }};
  tune_spaces(opened("twice.yaml"), {.workers = workers_}, store, events);
  EXPECT_EQ(kinds, (std::vector{EngineError::Kind::no_cache}));
  EXPECT_TRUE(store.studies()->empty());
}

TEST_F(EngineErrors, a_stop_ends_the_run_before_the_next_problem) {
  const std::unique_ptr<Database> in_memory = *Database::in_memory();
  Database& store = *in_memory;
  int tuned = 0;
  const RunEvents events{.on_tuned = [&](const Tuning&) { ++tuned; }, .stop = [] { return true; }};
  EXPECT_EQ(tune_spaces(opened("twice.yaml"), {.workers = workers_}, store, events), RunEnd::cut_short);
  EXPECT_EQ(tuned, 1);
}

TEST_F(EngineErrors, a_check_compiles_each_source_once_and_reports_failures) {
  const OpenedSpaces spaces = opened("twice.yaml");
  const CheckRequest request{
      .definition = spaces.definitions.front(), .device = spaces.device, .workers = workers_};
  auto check = check_space(request, {});
  EXPECT_EQ(check->all, 2);  // two problems with the same source
  EXPECT_EQ(check->checked, 2);
  EXPECT_TRUE(check->findings.empty());
}

}  // namespace
}  // namespace gktune
