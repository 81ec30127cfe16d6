#include "tuner/search/bayes/turns.h"

#include <algorithm>
#include <cmath>

namespace gktune {
namespace {

constexpr double kPatienceShare = 0.1;  // of all trials
constexpr double kLeastPatience = 4;
constexpr double kClearlyBetter = 0.002;

}  // namespace

// A tenth of the trials that the budget is expected to allow, if it is known; at most the given number or,
// later, a tenth of the trials so far.
std::size_t Turns::patience() const {
  const auto told = static_cast<double>(told_);
  const double most = std::max(static_cast<double>(patience_), kPatienceShare * told);
  double expected = std::numeric_limits<double>::infinity();
  if (budget_.trials > 0) expected = static_cast<double>(budget_.trials);
  if (budget_.seconds > 0 && spent_s_ > 0) expected = std::min(expected, budget_.seconds / spent_s_ * told);
  return static_cast<std::size_t>(std::min(most, std::max(kLeastPatience, kPatienceShare * expected)));
}

bool Turns::is_stuck() const {
  const std::size_t patience = this->patience();
  return told_ >= 2 * patience && told_ - improved_at_ >= patience;
}

// The proposer whose turns are the fewest for its credit.
Proposer Turns::next() {
  if (!is_stuck()) {
    takes_turns_ = false;
    return Proposer::process;
  }
  if (!takes_turns_) turns_ = {};
  takes_turns_ = true;
  std::size_t next = 0;
  for (std::size_t i = 1; i < kProposers; ++i) {
    if ((turns_[i] + 1) / credit_[i] < (turns_[next] + 1) / credit_[next]) next = i;
  }
  ++turns_[next];
  return static_cast<Proposer>(next);
}

void Turns::tell(const Trial& trial, Proposer proposer) {
  ++told_;
  spent_s_ += trial.compile_s + trial.run_s;
  if (!trial.ok() || trial.objective >= best_) return;
  if (std::isinf(best_) || best_ - trial.objective >= kClearlyBetter * std::abs(best_)) {
    if (takes_turns_) credit_[static_cast<std::size_t>(proposer)] += 1;
    improved_at_ = told_;
  }
  best_ = trial.objective;
}

}  // namespace gktune
