#include "engine/check_session.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "engine/check_problems.h"
#include "engine/spaces.h"
#include "tuner/space/problems.h"

namespace gktune {
namespace {

// Adds a failure to the finding with the same message.
void add_finding(std::vector<Finding>& findings, const Trial& trial) {
  auto known = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.status == trial.status && finding.message == trial.message;
  });
  if (known == findings.end()) known = findings.insert(findings.end(), {trial.status, trial.message, {}});
  known->trials.push_back(trial);
}

// True if a trial with this status has this configuration or problem.
template <class T>
bool has_failed(const std::vector<Finding>& findings, Status status, T Trial::*part, const T& value) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.status == status && std::ranges::find(finding.trials, value, part) != finding.trials.end();
  });
}

// One check of candidates.
class CheckSession {
 public:
  using Next = std::function<bool(Candidate&)>;
  CheckSession(Device& device, const CheckEvents& events, CheckOrder order, const Next& next,
               CheckResult result)
      : device_(device), events_(events), order_(order), next_(next), result_(std::move(result)) {}

  CheckResult run() {
    while (true) {
      fill_device();
      if (in_flight_ == 0) break;
      Trial trial = device_.next();
      --in_flight_;
      end(std::move(trial));
    }
    for (auto& [place, trial] : passed_) result_.passed.push_back(std::move(trial));
    return std::move(result_);
  }

 private:
  void fill_device() {
    while (!is_over() && in_flight_ < device_.capacity()) {
      std::optional<Candidate> candidate = take();
      if (!candidate) return;
      if (has_failed(result_.findings, Status::reference_failed, &Trial::problem, candidate->problem))
        continue;
      if (has_failed(result_.findings, Status::timed_out, &Trial::config, candidate->config)) {
        ++result_.left_out;
      } else if (order_ == CheckOrder::one_by_one &&
                 std::ranges::find(running_, candidate->config, &Running::config) != running_.end()) {
        held_ = std::move(candidate);
        return;
      } else {
        submit(*std::move(candidate));
      }
    }
  }

  // True: submit no more candidates.
  bool is_over() {
    if (in_flight_ == 0 && !has_more_) return true;
    if (!result_.was_stopped && events_.stop && events_.stop()) {
      result_.was_stopped = true;
      in_flight_ -= device_.withdraw();  // a stop does not wait for candidates that have not begun
    }
    return result_.was_stopped || unchecked_in_a_row_ >= kMostUnjudged || !has_more_;
  }

  std::optional<Candidate> take() {
    if (held_) return std::exchange(held_, std::nullopt);
    Candidate candidate;
    has_more_ = next_(candidate);
    return has_more_ ? std::optional(std::move(candidate)) : std::nullopt;
  }

  void submit(Candidate candidate) {
    running_.push_back({submitted_++, candidate.config, candidate.problem});
    device_.submit(std::move(candidate));
    ++in_flight_;
  }

  void end(Trial trial) {
    const std::size_t place = remove_running(trial);
    if (trial.status == Status::machine_failed) {
      ++result_.unchecked;
      result_.failure = std::move(trial.message);
      if (++unchecked_in_a_row_ == kMostUnjudged) in_flight_ -= device_.withdraw();
      return;
    }
    if (unchecked_in_a_row_ < kMostUnjudged) unchecked_in_a_row_ = 0;
    if (trial.status == Status::reference_failed) {
      // It fails for every configuration of the problem: one finding, without a configuration.
      if (has_failed(result_.findings, trial.status, &Trial::problem, trial.problem)) return;
      trial.config = {};
      add_finding(result_.findings, trial);
      return;
    }
    ++result_.checked;
    if (trial.ok()) {
      passed_.emplace(place, std::move(trial));
    } else {
      add_finding(result_.findings, trial);
    }
    if (events_.on_progress) events_.on_progress(result_);
  }

  std::size_t remove_running(const Trial& trial) {
    const auto ended = std::ranges::find_if(running_, [&](const Running& each) {
      return each.config == trial.config && each.problem == trial.problem;
    });
    const std::size_t place = ended->place;
    running_.erase(ended);
    return place;
  }

  struct Running {
    std::size_t place;  // the number of candidates submitted before it
    Config config;
    Problem problem;
  };

  Device& device_;
  const CheckEvents& events_;
  CheckOrder order_;
  const Next& next_;
  CheckResult result_;
  std::vector<Running> running_;
  std::map<std::size_t, Trial> passed_;  // by the place of their candidates
  std::optional<Candidate> held_;        // until another problem of its configuration has ended
  bool has_more_ = true;
  std::size_t submitted_ = 0, in_flight_ = 0;
  int unchecked_in_a_row_ = 0;
};

// The configurations of each problem's space in turn, or a random sample of them.
class Candidates {
 public:
  Candidates(const CheckRequest& request, const std::vector<Problem>& problems)
      : request_(request), problems_(problems) {}

  // A result with the numbers of candidates. Fails if a space cannot be built.
  Result<CheckResult, EngineError> count() const {
    CheckResult counts;
    for (const Problem& problem : problems_) {
      auto space = build(problem);
      if (!space) return space.error();
      counts.all += space->size();
      counts.chosen += chosen_of(*space);
    }
    return counts;
  }

  // Requires that count() succeeds.
  bool next(Candidate& candidate) {
    while (!space_ || index_ >= chosen_of(*space_)) {
      if (problem_ == problems_.size()) return false;
      space_ = build(problems_[problem_++]).value();
      random_.seed(request_.workers.seed);
      index_ = 0;
    }
    candidate.problem = problems_[problem_ - 1];
    candidate.config = space_->at(is_sampled(*space_) ? space_->sample(random_) : index_);
    ++index_;
    return true;
  }

 private:
  Result<Space, EngineError> build(const Problem& problem) const {
    return space_of(request_.definition, problem, request_.device.info);
  }
  bool is_sampled(const Space& space) const { return request_.sample > 0 && space.size() > request_.sample; }
  Count chosen_of(const Space& space) const {
    return is_sampled(space) ? Count(request_.sample) : space.size();
  }

  const CheckRequest& request_;
  const std::vector<Problem>& problems_;
  std::optional<Space> space_;
  std::size_t problem_ = 0;  // the next one
  Count index_;
  std::mt19937_64 random_;
};

bool is_sanitizing(const CheckRequest& request) { return request.work == DeviceWork::sanitize; }

// The engine chooses small awkward problems when the caller names none.
bool is_awkward(const CheckRequest& request) {
  return is_sanitizing(request) && !request.problems && request.definition.check_problems.empty();
}

std::vector<Problem> problems_to_check(const CheckRequest& request) {
  const KernelDefinition& kernel = request.definition.kernel;
  if (is_awkward(request)) return problems_to_sanitize(request.definition, request.device.info);
  if (is_sanitizing(request)) return request.problems.value_or(request.definition.check_problems);
  return one_for_each_source(kernel.axes, request.problems ? *request.problems : problems_of(kernel));
}

// Moves launches that did not run from the findings to `not_run`, unless nothing ran. A launch that this
// device refuses tells nothing about the kernel's accesses. The engine may choose sizes for which no launch can be formed; over an
// empty problem that is expected.
void set_apart_what_did_not_run(CheckResult& result, bool has_awkward_problems) {
  const auto is_unformed = [&](const Trial& trial) {
    return has_awkward_problems && trial.status == Status::invalid;
  };
  std::vector<Finding> findings, not_run;
  std::int64_t left = result.checked;
  for (const Finding& finding : result.findings) {
    for (const Trial& trial : finding.trials) {
      const bool has_run = !is_unformed(trial) && trial.status != Status::launch_failed;
      if (!has_run) --left;
      if (!is_unformed(trial) || !is_empty(trial.problem)) add_finding(has_run ? findings : not_run, trial);
    }
  }
  if (left == 0 && !not_run.empty()) return;
  for (const Finding& finding : not_run) result.checked -= std::ssize(finding.trials);
  result.findings = std::move(findings);
  result.not_run = std::move(not_run);
}

}  // namespace

std::int64_t CheckResult::failed() const {
  std::int64_t count = 0;
  for (const Finding& finding : findings) count += std::ssize(finding.trials);
  return count;
}

Failures CheckResult::failures() const {
  Failures failures;
  for (const Finding& finding : findings) failures[finding.status] += std::ssize(finding.trials);
  return failures;
}

CheckResult check(Device& device, const CheckEvents& events, CheckOrder order,
                  const std::function<bool(Candidate&)>& next, CheckResult result) {
  return CheckSession(device, events, order, next, std::move(result)).run();
}

Result<CheckResult, EngineError> check_space(const CheckRequest& request, const CheckEvents& events) {
  const std::vector<Problem> problems = problems_to_check(request);
  Candidates candidates(request, problems);
  auto counts = candidates.count();
  if (!counts) return counts.error();
  auto device = open_device(request.definition.kernel, request.device, request.workers, request.work);
  if (!device) return device.error();
  const auto order = is_sanitizing(request) ? CheckOrder::one_by_one : CheckOrder::together;
  CheckResult result = check(
      **device, events, order, [&](Candidate& candidate) { return candidates.next(candidate); },
      *std::move(counts));
  if (is_sanitizing(request)) set_apart_what_did_not_run(result, is_awkward(request));
  return result;
}

}  // namespace gktune
