// Every template that the project ships, run and judged on the host device: each way of it at sizes that do
// not suit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "awkward_problems.h"
#include "covering_sample.h"
#include "shifted_kernel.h"
#include "shipped_spaces.h"
#include "tuner/device/worker/worker_device.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// Few, so that what strides over its data has to; for plain functions enough for every number of threads.
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

// All of a problem but its sizes.
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
    // As for a GPU: with all of the values.
    auto definition = read_space_file(GetParam(), {.device_kind = "cuda"});
    ASSERT_TRUE(definition.ok()) << definition.error().front().str();
    definition_ = *std::move(definition);
  }

  // Of that kernel, which the space file describes but for where its data lie.
  void open(const KernelDefinition& kernel) {
    device_ = open_device(kernel);
    ASSERT_NE(device_, nullptr);
    constraints_ = definition_.constraints;
    for (Constraint& limit : device_limits(kernel, device_->info())) {
      constraints_.push_back(std::move(limit));
    }
  }

  // Whether the file itself rules the problem out: by a constraint that asks for no parameter.
  bool is_ruled_out(const SpaceError& error) const {
    if (error.kind != SpaceError::Kind::empty || !error.constraint) return false;
    return std::ranges::none_of(constraints_[*error.constraint].condition.names(), [&](const auto& use) {
      return std::ranges::find(definition_.parameters, use.name, &Parameter::name) !=
             definition_.parameters.end();
    });
  }

  void try_all(std::vector<Config> configs, const Problem& problem) {
    // A process has one environment: those that share it come one after the other.
    std::ranges::stable_sort(configs, {}, [&](const Config& config) {
      auto plan = resolve(definition_.kernel, config, problem, device_->info());
      return plan ? plan->environment : std::vector<std::pair<std::string, std::string>>();
    });
    std::size_t submitted = 0, done = 0;
    while (done < configs.size()) {
      while (submitted < configs.size() && submitted - done < device_->capacity()) {
        device_->submit({configs[submitted++], problem});
      }
      const Trial trial = device_->next();
      ++done;
      EXPECT_TRUE(trial.ok()) << GetParam() << ", problem " << problem.str() << ", configuration "
                              << trial.config.str() << "\n"
                              << status_name(trial.status) << ": " << trial.message;
    }
  }

  void try_awkward_sizes(CoveringSample::Depth depth) {
    const NamedValues attributes = device_->info().attributes();
    CoveringSample sample(definition_.parameters);
    const auto problems = awkward_problems(definition_.kernel);
    for (const Problem& problem : problems) {
      // Another element type, another distribution: once is enough for what ways have to do with each other.
      if (kind_of(problem) != kind_of(problems.front())) depth = CoveringSample::Depth::values;
      Scope scope;
      scope.add(problem).add(attributes, "device.");
      const auto configs = sample.cover(constraints_, scope, depth);
      if (configs) {
        try_all(*configs, problem);
      } else if (!is_ruled_out(configs.error())) {
        ADD_FAILURE() << GetParam() << ", problem " << problem.str() << ": " << configs.error().message;
      }
      if (HasFailure()) break;  // the same again at other sizes would say no more
    }
    for (const std::string& value : sample.unseen()) {
      if (!HasFailure())
        ADD_FAILURE() << GetParam() << ": no problem has a valid configuration with " << value;
    }
  }

  Definition definition_;
  std::unique_ptr<WorkerDevice> device_;
  std::vector<Constraint> constraints_;
};

TEST_P(Template, is_right_in_all_its_ways_at_awkward_sizes) {
  ASSERT_NO_FATAL_FAILURE(open(definition_.kernel));
  try_awkward_sizes(CoveringSample::Depth::pairs);
}

TEST_P(Template, is_right_wherever_its_data_begin) {
  ASSERT_NO_FATAL_FAILURE(open(shifted_kernel(definition_.kernel)));
  try_awkward_sizes(CoveringSample::Depth::values);
}

INSTANTIATE_TEST_SUITE_P(Spaces, Template, testing::ValuesIn(shipped_spaces()), space_name);

}  // namespace
}  // namespace gktune
