#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "tuner/core/trial.h"
#include "tuner/search/strategy.h"

namespace gktune {

// Who makes a proposal: the Gaussian process, the classifier, or the process among the configurations that
// differ from the best in one parameter.
enum class Proposer { process, classifier, neighbour };

// Decides who proposes. The process does while the search finds better configurations. Once it has found none
// for a while, the three take turns: who finds one gets more turns from then on.
class Turns {
 public:
  // The turns begin after at least `patience` trials without a better one, or sooner if the budget is small.
  Turns(std::size_t patience, SearchBudget budget) : patience_(patience), budget_(budget) {}
  Proposer next();
  void tell(const Trial& trial, Proposer proposer);

 private:
  static constexpr std::size_t kProposers = 3;
  std::size_t patience() const;
  bool is_stuck() const;

  const std::size_t patience_;
  const SearchBudget budget_;
  double spent_s_ = 0;
  std::size_t told_ = 0, improved_at_ = 0;  // trials; those until the last one that was clearly better
  double best_ = std::numeric_limits<double>::infinity();
  bool takes_turns_ = false;
  // Each proposer has a share of the turns, and has had so many turns since the search is stuck.
  std::array<double, kProposers> credit_ = {2, 1, 1}, turns_ = {};
};

}  // namespace gktune
