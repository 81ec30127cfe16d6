#include "engine/check_pass.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tuner/tune.h"

namespace gktune {

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

void add_finding(std::vector<Finding>& findings, const Trial& trial) {
  auto known = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.status == trial.status && finding.message == trial.message;
  });
  if (known == findings.end()) known = findings.insert(findings.end(), {trial.status, trial.message, {}});
  known->trials.push_back(trial);
}

namespace {

struct Running {
  std::size_t place;  // the number of candidates submitted before it
  Config config;
  Problem problem;
};

bool has_timed_out(const std::vector<Finding>& findings, const Config& config) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.status == Status::timed_out &&
           std::ranges::find(finding.trials, config, &Trial::config) != finding.trials.end();
  });
}

bool has_failed_reference(const std::vector<Finding>& findings, const Problem& problem) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.status == Status::reference_failed &&
           std::ranges::any_of(finding.trials, [&](const Trial& trial) { return trial.problem == problem; });
  });
}

}  // namespace

CheckResult CheckPass::run(const std::function<bool(Candidate&)>& next) {
  CheckResult result;
  std::size_t in_flight = 0;
  bool has_more = true;
  int unchecked_in_a_row = 0;
  std::vector<Running> running;
  std::size_t submitted = 0;
  std::map<std::size_t, Trial> passed;  // by the place of their candidates
  std::optional<Candidate> held;  // until another problem of its configuration is through
  const auto is_over = [&] {
    if (in_flight == 0 && !has_more) return true;
    if (!result.was_stopped && events_.stop && events_.stop()) {
      result.was_stopped = true;
      in_flight -= device_.withdraw();  // a stop does not wait for candidates that have not begun
    }
    return result.was_stopped || unchecked_in_a_row >= kMostUnjudged || !has_more;
  };
  while (true) {
    while (!is_over() && in_flight < device_.capacity()) {
      Candidate candidate;
      has_more = held || next(candidate);
      if (!has_more) break;
      if (held) candidate = *std::exchange(held, std::nullopt);
      if (has_failed_reference(result.findings, candidate.problem)) continue;
      if (has_timed_out(result.findings, candidate.config)) {
        ++result.left_out;
        continue;
      }
      if (problems_ == Problems::one_by_one &&
          std::ranges::find(running, candidate.config, &Running::config) != running.end()) {
        held = std::move(candidate);
        break;
      }
      running.push_back({submitted++, candidate.config, candidate.problem});
      device_.submit(std::move(candidate));
      ++in_flight;
    }
    if (in_flight == 0) break;
    Trial trial = device_.next();
    --in_flight;
    const auto ended = std::ranges::find_if(running, [&](const Running& each) {
      return each.config == trial.config && each.problem == trial.problem;
    });
    const std::size_t place = ended->place;
    running.erase(ended);
    if (trial.status == Status::machine_failed) {
      ++result.unchecked;
      result.failure = std::move(trial.message);
      if (++unchecked_in_a_row == kMostUnjudged) in_flight -= device_.withdraw();
      continue;
    }
    if (unchecked_in_a_row < kMostUnjudged) unchecked_in_a_row = 0;
    if (trial.status == Status::reference_failed) {
      // Every configuration of the problem fails so: one finding, without a configuration.
      if (has_failed_reference(result.findings, trial.problem)) continue;
      trial.config = {};
      add_finding(result.findings, trial);
      continue;
    }
    ++result.checked;
    if (trial.ok()) {
      passed.emplace(place, std::move(trial));
    } else {
      add_finding(result.findings, trial);
    }
    if (events_.on_progress) events_.on_progress(result);
  }
  for (auto& [place, trial] : passed) result.passed.push_back(std::move(trial));
  return result;
}

}  // namespace gktune
