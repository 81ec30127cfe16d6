#include "engine/check_space.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "engine/check_problems.h"
#include "engine/problem_space.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

// The configurations of each problem's space in turn, or a random sample of them.
class Candidates {
 public:
  Candidates(const CheckRequest& request, const std::vector<Problem>& problems)
      : request_(request), problems_(problems) {}

  // Fails if a space cannot be built.
  Result<CheckCounts, EngineError> count() const {
    CheckCounts counts{0, 0};
    for (const Problem& problem : problems_) {
      auto space = build(problem);
      if (!space) return space.error();
      counts.all += space->size();
      counts.chosen += is_sampled(*space) ? Count(request_.sample) : space->size();
    }
    return counts;
  }

  // Requires that count() succeeds.
  bool next(Candidate& candidate) {
    while (!space_ || index_ >= end_) {
      if (problem_ == problems_.size()) return false;
      space_ = build(problems_[problem_++]).value();
      random_.seed(request_.workers.seed);
      index_ = 0;
      end_ = is_sampled(*space_) ? Count(request_.sample) : space_->size();
    }
    candidate.problem = problems_[problem_ - 1];
    candidate.config = space_->at(is_sampled(*space_) ? space_->sample(random_) : index_);
    ++index_;
    return true;
  }

 private:
  Result<Space, EngineError> build(const Problem& problem) const {
    return ProblemSpace(request_.definition, problem, request_.device.info).build();
  }
  bool is_sampled(const Space& space) const { return request_.sample > 0 && space.size() > request_.sample; }

  const CheckRequest& request_;
  const std::vector<Problem>& problems_;
  std::optional<Space> space_;
  std::size_t problem_ = 0;  // the next one
  Count index_, end_;
  std::mt19937_64 random_;
};

// The engine chooses small awkward problems when the caller names none.
bool is_awkward(const CheckRequest& request) {
  return request.work == DeviceWork::sanitize && !request.problems &&
         request.definition.check_problems.empty();
}

std::vector<Problem> problems_to_check(const CheckRequest& request) {
  const KernelDefinition& kernel = request.definition.kernel;
  if (!is_awkward(request)) {
    const bool has_own = request.work == DeviceWork::sanitize && !request.problems;
    std::vector<Problem> problems = request.problems ? *request.problems
                                    : has_own        ? request.definition.check_problems
                                                     : problems_of(kernel);
    return request.work == DeviceWork::sanitize ? problems : one_for_each_source(kernel.axes, problems);
  }
  // A kernel may require large sizes. If no space can be built, the first failure is reported.
  const std::vector<Problem> all = awkward_problems(kernel);
  std::vector<Problem> solvable;
  std::ranges::copy_if(all, std::back_inserter(solvable), [&](const Problem& problem) {
    return ProblemSpace(request.definition, problem, request.device.info).build().ok();
  });
  if (solvable.empty()) return all;
  std::ranges::copy(problems_of_several_blocks(request.definition, solvable, request.device.info),
                    std::back_inserter(solvable));
  return solvable;
}

// Moves what did not run out of the findings, unless nothing ran. A launch that this device refuses tells
// nothing about the kernel's accesses. The engine may choose sizes for which no launch can be formed; over an
// empty problem that is expected.
void set_apart_what_did_not_run(CheckResult& result, bool has_awkward_problems) {
  const auto is_unformed = [&](const Trial& trial) {
    return has_awkward_problems && trial.status == Status::invalid;
  };
  const auto is_expected = [&](const Trial& trial) { return is_unformed(trial) && is_empty(trial.problem); };
  const auto did_not_run = [&](const Trial& trial) {
    return is_unformed(trial) || trial.status == Status::launch_failed;
  };
  std::vector<Finding> findings, not_run;
  std::int64_t left = result.checked;
  for (const Finding& finding : result.findings) {
    for (const Trial& trial : finding.trials) {
      if (did_not_run(trial)) --left;
      if (!is_expected(trial)) add_finding(did_not_run(trial) ? not_run : findings, trial);
    }
  }
  if (left == 0 && !not_run.empty()) return;
  for (const Finding& finding : not_run) result.checked -= std::ssize(finding.trials);
  result.findings = std::move(findings);
  result.not_run = std::move(not_run);
}

}  // namespace

Result<SpaceCheck, EngineError> check_space(const CheckRequest& request, const SpaceCheckEvents& events) {
  const std::vector<Problem> problems = problems_to_check(request);
  Candidates candidates(request, problems);
  auto counts = candidates.count();
  if (!counts) return counts.error();
  auto device = open_device(request.definition.kernel, request.device, request.workers, request.work);
  if (!device) return device.error();
  const auto show = [&](const CheckResult& result) {
    if (events.on_progress) events.on_progress(result, *counts);
  };
  const auto order =
      request.work == DeviceWork::sanitize ? CheckPass::Problems::one_by_one : CheckPass::Problems::together;
  SpaceCheck check{CheckPass(**device, {show, events.stop}, order).run([&](Candidate& candidate) {
                     return candidates.next(candidate);
                   }),
                   *counts};
  if (request.work == DeviceWork::sanitize) set_apart_what_did_not_run(check.result, is_awkward(request));
  return check;
}

}  // namespace gktune
