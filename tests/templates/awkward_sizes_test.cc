// Runs and checks every way of every shipped template on the host device, at
// sizes that do not fit its blocks. Checks that mistakes in templates are found there.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "awkward_problems.h"
#include "covering_trials.h"
#include "made_up_gpu.h"
#include "shifted_kernel.h"
#include "shipped_spaces.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// With few multiprocessors a kernel that strides over its data takes several steps. Plain functions need
// enough of them for every number of threads.
int multiprocessors_for(Language language) { return language == Language::cuda ? 2 : 64; }

std::unique_ptr<WorkerDevice> open_device(const KernelDefinition& kernel) {
  WorkerDeviceOptions options;
  options.backends = {{"host", 0}};
  options.worker_argv = {GKTUNE_SIZED_WORKER, std::to_string(multiprocessors_for(kernel.language))};
  options.work = WorkerDeviceOptions::Work::check;
  options.cache_dir = GKTUNE_TEST_CACHE;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.batch = 8;
  auto device = WorkerDevice::open(kernel, std::move(options));
  if (device) return *std::move(device);
  ADD_FAILURE() << device.error().message;
  return nullptr;
}

// The part of a problem without its sizes.
Problem kind_of(const Problem& problem) {
  Problem kind;
  for (const auto& [name, value] : problem) {
    if (!value.is_integer()) kind.set(name, value);
  }
  return kind;
}

class Template : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    // All values, as for a GPU.
    auto definition = read_space_file(GetParam(), {.device_kind = "cuda"});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    definition_ = *std::move(definition);
  }

  // The kernel of the space file, with data at other addresses.
  void open(const KernelDefinition& kernel) {
    auto device = open_device(kernel);
    ASSERT_NE(device, nullptr);
    trials_.emplace(definition_, kernel, std::move(device));
  }

  // True if a constraint without parameters rejects the problem.
  bool is_ruled_out(const SpaceError& error) const {
    if (error.kind != SpaceError::Kind::empty || !error.constraint) return false;
    const Expression& condition = trials_->constraints()[*error.constraint].condition;
    return std::ranges::none_of(condition.names(), [&](const auto& use) {
      return std::ranges::find(definition_.parameters, use.name, &Parameter::name) !=
             definition_.parameters.end();
    });
  }

  // Values that no GPU would take for any of the problems.
  std::vector<std::string> unseen_by_a_gpu() const {
    const NamedValues attributes = made_up_gpu("sm_90").attributes();
    CoveringSample sample(definition_.parameters);
    for (const Problem& problem : awkward_problems(definition_.kernel)) {
      Scope scope;
      scope.add(problem).add(attributes, "device.");
      (void)sample.cover(definition_.constraints, scope, CoveringSample::Depth::values);
    }
    return sample.unseen();
  }

  // The host may be unable to run a value that a GPU runs.
  void expect_all_values_seen() {
    const std::vector<std::string> unseen = trials_->unseen();
    if (unseen.empty()) return;
    for (const std::string& value : unseen_by_a_gpu()) {
      if (std::ranges::find(unseen, value) != unseen.end())
        ADD_FAILURE() << GetParam() << ": no problem has a valid configuration with " << value;
    }
  }

  // All bodies of a system meet each other, and all tokens of a head: many of both take minutes.
  bool is_too_slow(const Problem& problem) const {
    const auto has_many = [&](const char* groups, const char* members) {
      return problem.find(groups)->integer() * problem.find(members)->integer() > 2'000;
    };
    const std::string& name = definition_.kernel.name;
    return (name == "n_body" && has_many("systems", "bodies")) ||
           (name == "attention" && has_many("heads", "tokens"));
  }

  // Tries each value at every problem, and pairs of values at every third problem of one kind.
  void try_awkward_sizes() {
    auto problems = awkward_problems(definition_.kernel);
    std::erase_if(problems, [this](const Problem& problem) { return is_too_slow(problem); });
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const bool has_pairs = i % 3 == 0 && kind_of(problems[i]) == kind_of(problems.front());
      try_problem(problems[i], has_pairs ? CoveringSample::Depth::pairs : CoveringSample::Depth::values);
      if (HasFailure()) return;  // the same again at other sizes would say no more
    }
    expect_all_values_seen();
  }

  void try_problem(const Problem& problem, CoveringSample::Depth depth) {
    const auto trials = trials_->run(problem, depth);
    if (!trials && !is_ruled_out(trials.error()))
      ADD_FAILURE() << GetParam() << ", problem " << problem.str() << ": " << trials.error().message;
    for (const Trial& trial : trials ? *trials : std::vector<Trial>()) {
      EXPECT_TRUE(trial.ok()) << GetParam() << ", problem " << problem.str() << ", configuration "
                              << trial.config.str() << "\n"
                              << status_name(trial.status) << ": " << trial.message;
    }
  }

  Definition definition_;
  std::optional<CoveringTrials> trials_;
};

TEST_P(Template, is_right_in_all_its_ways_at_awkward_sizes) {
  ASSERT_NO_FATAL_FAILURE(open(definition_.kernel));
  try_awkward_sizes();
}

// Contents with a shape and variables of the source cannot have one more element.
bool has_fixed_size(const Argument& argument) {
  const ContentsKind kind = argument.contents.kind;
  return !argument.symbol.empty() || kind == ContentsKind::field || kind == ContentsKind::csr_offsets ||
         kind == ContentsKind::csr_columns;
}

TEST_P(Template, is_right_at_any_alignment_of_its_data) {
  if (std::ranges::any_of(definition_.kernel.arguments, has_fixed_size)) {
    GTEST_SKIP() << "an argument cannot have one more element";
  }
  ASSERT_NO_FATAL_FAILURE(open(shifted_kernel(definition_.kernel)));
  const auto problems = awkward_problems(definition_.kernel);
  for (std::size_t i = 0; i < problems.size() && !HasFailure(); i += 3) {
    if (!is_too_slow(problems[i])) try_problem(problems[i], CoveringSample::Depth::values);
  }
}

// A mistake in a template: `right` of its source, or of a header that it includes, became `wrong`.
struct PlantedFault {
  const char *space, *name, *right, *wrong;
  std::string header = {};
};

const PlantedFault kPlantedFaults[] = {
    {"norm", "counts_elements_beyond_the_row", "part.for_each(values, [&](float value) {",
     "const auto for_each = [&](const auto& body) { for (float each : values) body(each); };\n"
     "  for_each([&](float value) {"},
    {"norm", "divides_by_one_less", "static_cast<float>(columns)", "static_cast<float>(columns - 1)"},
    {"norm", "forgets_epsilon", "squares * share + epsilon", "squares * share"},
    {"softmax", "leaves_an_overflow", "expf(values[i] - greatest)", "expf(8 * values[i])"},
    {"softmax", "adds_up_what_the_row_does_not_have", "part.has(i) ? expf(values[i] - greatest) : 0",
     "expf(part.has(i) ? values[i] - greatest : 0)"},
    {"softmax", "forgets_to_correct_the_sum", "sum *= expf(own - greatest)", "sum *= 1"},
    {"gemv", "drops_the_ends_of_rows", "i < Part::kCount; ++i) sum", "i < Part::kCount / 4 * 4; ++i) sum"},
    {"gemv", "reads_the_row_before", "(a + row * columns, of_a", "(a + (row - (row > 40)) * columns, of_a"},
    {"gemv", "writes_in_place_of_adding", "atomicAdd(y + row, sum)", "y[row] = sum"},
    {"scan", "forgets_the_warps_before", "if (i < warp)", "if (i + 1 < warp)"},
    {"scan", "adds_a_tile_too_many", "lane <= last ?", "lane <= last + 1 ?"},
    {"scan", "forgets_the_packs_before", "before += __shfl_sync", "before = __shfl_sync"},
    {"batched_matmul", "leaves_out_the_last_element", "y >= SIZE || x >= SIZE",
     "x >= SIZE || y * SIZE + x >= kElements - 1"},
    {"batched_matmul", "drops_a_product", "for (int depth = 0; depth < SIZE;",
     "for (int depth = 0; depth + 1 < SIZE;"},
    {"batched_matmul", "mixes_up_the_matrices", "of_b = all_b + threadIdx.y * kElements", "of_b = all_b"},
    {"gemm", "reads_beyond_the_end_of_a_row", "row < matrix.rows && column < matrix.columns",
     "row * matrix.columns + column < matrix.rows * matrix.columns"},
    {"gemm", "drops_a_product_of_each_tile", "for (int step = 0; step < tileK; ++step) {",
     "for (int step = 0; step + 1 < tileK; ++step) {"},
    {"gemm", "multiplies_by_other_rows_of_b", "load_plain({b, n, k}, column, first",
     "load_plain({b, n, k}, row, first"},
    {"attention", "forgets_to_scale_earlier_sums", "sums[i][j] *= factors[i]", "sums[i][j] *= 1"},
    {"attention", "sees_the_next_token", "kIsCausal ? row + 1 : tokens", "kIsCausal ? row + 2 : tokens"},
    {"attention", "scales_scores_for_one_more_column", "static_cast<float>(width)",
     "static_cast<float>(width + 1)"},
    {"attention", "drops_the_first_tile_of_keys", "tile >= 0; --tile", "tile >= (work.tiles > 1); --tile"},
    {"top_k", "raises_the_limit_too_far", "greatest = fmaxf(greatest, values[i]);",
     "greatest = fmaxf(greatest, values[i] + 0.5f);"},
    {"top_k", "drops_the_ends_of_rows", "if (values[i] >= lowest()) visit",
     "if (i < Part::kCount - 1 && values[i] >= lowest()) visit"},
    {"top_k", "orders_negative_elements_like_positive_ones", "return bits >> 31 ? ~bits : bits | 1u << 31;",
     "return bits ^ 1u << 31;"},
    {"top_k", "takes_any_of_equal_elements", "<< 32 | ~static_cast<unsigned>(place)",
     "<< 32 | ~static_cast<unsigned>(place ^ 1)"},
    {"black_scholes", "forgets_the_volatility_in_the_drift", "fmaf(volatility, 0.5f * volatility, rate)",
     "rate"},
    {"black_scholes", "takes_the_same_tail_for_both_signs",
     "return d < 0 ? Normal{1 - tail, tail} :", "return"},
    {"black_scholes", "rounds_a_coefficient", "0.254829592f", "0.2547f"},
    {"n_body", "meets_opposite_groups_twice", "2 * distance == groups && own >= distance", "false"},
    {"n_body", "pulls_both_bodies_the_same_way", "-(bodies[k].mass * weight)", "bodies[k].mass * weight"},
    {"n_body", "squares_the_distance_in_place_of_cubing_it", "return reciprocal * reciprocal * reciprocal",
     "return reciprocal * reciprocal"},
    {"n_body", "drops_the_last_tile",
     "begin < count; begin +=", "begin + threadsPerBlock <= count; begin +="},
    {"spmv", "drops_the_last_product", "first + k < nonzeros ?", "first + k + 1 < nonzeros ?"},
    {"spmv", "begins_rows_too_late", "has_row ? rowOffsets[row] :", "has_row ? rowOffsets[row] + 1 :"},
    {"spmv", "forgets_a_level_of_lanes", "offset = kLanes / 2", "offset = kLanes / 4", "common/segments.cuh"},
    {"segmented_sum", "drops_the_last_element", "begin + i < elements ?", "begin + i + 1 < elements ?"},
    {"segmented_sum", "forgets_the_lanes_before", "if (threadIdx.x % 32 > 0) sum_of_ended += before;", "",
     "common/segments.cuh"},
    {"segmented_sum", "stores_a_part_of_a_segment", "offsets[ended] >= begin_of_warp", "offsets[ended] >= 0",
     "common/segments.cuh"},
    {"segmented_sum", "drops_what_goes_on_behind_a_warp", "goes_on && end == end_of_warp", "false",
     "common/segments.cuh"},
};

void replace(std::string& text, const std::string& part, const std::string& by) {
  const std::size_t place = text.find(part);
  ASSERT_NE(place, std::string::npos) << part;
  text.replace(place, part.size(), by);
}

class FaultyTemplate : public testing::TestWithParam<PlantedFault> {};

TEST_P(FaultyTemplate, is_found_to_be_wrong) {
  const PlantedFault& fault = GetParam();
  const auto definition = read_space_file(std::string(GKTUNE_SOURCE_DIR "/spaces/") + fault.space + ".yaml",
                                          {.device_kind = "cuda"});
  ASSERT_TRUE(definition.ok());
  KernelDefinition kernel = definition->kernel;
  if (!fault.header.empty()) {
    const std::string path = GKTUNE_SOURCE_DIR "/templates/" + fault.header;
    ASSERT_NO_FATAL_FAILURE(
        replace(kernel.source_text, "#include \"" + fault.header + '"', contents_of(path)));
  }
  ASSERT_NO_FATAL_FAILURE(replace(kernel.source_text, fault.right, fault.wrong));
  auto device = open_device(kernel);
  ASSERT_NE(device, nullptr);
  CoveringTrials trials(*definition, kernel, std::move(device));
  for (const Problem& problem : awkward_problems(kernel)) {
    const auto tried = trials.run(problem, CoveringSample::Depth::values);
    if (!tried) continue;
    for (const Trial& trial : *tried) {
      if (trial.ok()) continue;
      EXPECT_EQ(trial.status, Status::wrong_result) << trial.message;
      return;
    }
  }
  ADD_FAILURE() << "all configurations passed at all sizes";
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyTemplate, testing::ValuesIn(kPlantedFaults), [](const auto& fault) {
  return std::string(fault.param.space) + '_' + fault.param.name;
});

INSTANTIATE_TEST_SUITE_P(Spaces, Template, testing::ValuesIn(portable_spaces()), space_name);

}  // namespace
}  // namespace gktune
