#include "bench/contest.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/variants.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

// The card's clock rises while these run.
constexpr int kRoundsBefore = 20;

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

template <class Value, class Reason>
Value need(Result<Value, Reason> result) {
  if (!result) give_up(result.error().message);
  return *std::move(result);
}

}  // namespace

Contest::Contest(const std::string& space_path, const Problem& axes)
    : definition_(read_space(space_path)),
      problem_(problem_of(definition_, axes)),
      compiler_(need(open_cuda_compiler({}))) {
  device_ = need(open_cuda_backend(0, {})->probe());
  gpu_ = need(CudaDevice::open(0, {}));
}

Result<RunJob, Failure> Contest::job_for(const Config& config) {
  const auto plan = resolve(definition_.kernel, config, problem_, device_);
  if (!plan) return Failure{Status::invalid, plan.error().message};
  if (plan->reference_error) return Failure{Status::reference_failed, *plan->reference_error};
  RunJob job;
  job.plan = *plan;
  GKTUNE_TRY(compile_programs(*compiler_, device_.architecture, cache_.path(), job));
  return job;
}

Result<Execution, Failure> Contest::check(const RunJob& job) {
  const auto program = gpu_->load(job.candidate, job.plan.candidate, job.plan.arguments);
  if (!program) return program.error();
  if (!buffers_) buffers_ = need(ProblemBuffers::prepare(*gpu_, job, run_here));
  if (auto adopted = buffers_->adopt(job.plan.arguments); !adopted) return adopted.error();
  const LaunchOptions options{job.plan.time_limit_s, std::nullopt};
  auto checked = buffers_->check(**program, ProblemBuffers::Poison::first, options);
  if (!checked) return checked.error();
  return execution_of(*gpu_, *program);
}

void Contest::enter(const std::string& name, const Config& config) {
  auto job = job_for(config);
  if (!job) give_up(name + ": " + job.error().message);
  auto execution = check(*job);
  if (!execution) give_up(name + ": " + execution.error().message);
  arguments_ = job->plan.arguments;
  entries_.push_back({name, config, *std::move(execution)});
}

void Contest::enter(const std::string& name, Execution execution) {
  entries_.push_back({name, {}, std::move(execution)});
}

std::size_t Contest::argument(const std::string& name) const {
  const auto place = std::ranges::find(arguments_, name, &ArgumentPlan::name);
  if (place == arguments_.end()) give_up("the space has no argument '" + name + "'");
  return static_cast<std::size_t>(place - arguments_.begin());
}

std::vector<ContestResult> Contest::hold(int rounds) {
  const KernelDefinition& kernel = definition_.kernel;
  const double limit_s = 60;
  CudaTimer timer(*gpu_, buffers_->memory());
  std::vector<std::unique_ptr<Sampler>> samplers;
  for (auto& entry : entries_) {
    samplers.push_back(timer.sampler(entry.execution, kernel.regime, limit_s));
    (void)need(samplers.back()->sample_us());  // loads its code
    if (auto warm = samplers.back()->warm_up(); !warm) give_up(entry.name + ": " + warm.error().message);
  }
  std::vector<Samples> samples(entries_.size());
  for (int round = -kRoundsBefore; round < rounds; ++round) {
    for (std::size_t i = 0; i < samplers.size(); ++i) {
      const double sample_us = need(samplers[i]->sample_us());
      if (round >= 0) samples[i].push_back(sample_us);
    }
  }
  std::vector<ContestResult> results;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ContestResult result{entries_[i].name, {}};
    result.trial.config = entries_[i].config;
    result.trial.problem = problem_;
    result.trial.samples_us = std::move(samples[i]);
    result.trial.timing = summarize(result.trial.samples_us);
    if (auto known = evaluate_metrics(kernel, device_, result.trial); !known) give_up(known.error().message);
    results.push_back(std::move(result));
  }
  return results;
}

std::string score_of(const ContestResult& result) {
  if (result.trial.metrics.empty()) return {};
  const auto& [unit, value] = *result.trial.metrics.begin();
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", value.number(), unit.c_str());
  return text;
}

}  // namespace gktune
