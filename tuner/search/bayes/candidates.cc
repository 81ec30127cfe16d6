#include "tuner/search/bayes/candidates.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace gktune {
namespace {

constexpr std::size_t kSurveyed = 5;       // the candidates include the neighbours of this many of the best,
constexpr std::size_t kSurveyedTwice = 2;  // and the neighbours' neighbours of this many
// Neighbours may fill this share; one parameter may have very many values.
constexpr double kNeighbourShare = 0.7;

class CandidateSet {
 public:
  CandidateSet(Untried& untried, std::size_t limit) : untried_(untried), limit_(limit) {}

  bool is_full() const { return list_.size() >= limit_; }
  std::vector<Space::Ranks>& list() { return list_; }
  void set_limit(std::size_t limit) { limit_ = limit; }

  void add(const Space::Ranks& ranks) {
    if (!is_full() && seen_.insert(ranks).second) list_.push_back(ranks);
  }

  // Requires a valid one.
  void add_untaken(const Space::Ranks& ranks) {
    if (!untried_.is_taken(ranks)) add(ranks);
  }

  // One parameter changed to any value.
  std::vector<Space::Ranks> add_neighbours(const Space::Ranks& centre) {
    std::vector<Space::Ranks> around;
    for (std::uint32_t parameter = 0; parameter < centre.size(); ++parameter) {
      if (untried_.space().parameters()[parameter].values.size() < 2) continue;
      for (const std::uint32_t rank : untried_.space().choices(centre, parameter)) {
        if (rank == centre[parameter]) continue;
        around.push_back(centre);
        around.back()[parameter] = rank;
      }
    }
    for (const Space::Ranks& each : around) add_untaken(each);
    return around;
  }

  // One parameter changed to the next value that is valid.
  void add_steps(const Space::Ranks& centre) {
    for (std::uint32_t parameter = 0; parameter < centre.size() && !is_full(); ++parameter) {
      if (untried_.space().parameters()[parameter].values.size() < 2) continue;
      const auto choices = untried_.space().choices(centre, parameter);
      const auto own = std::ranges::lower_bound(choices, centre[parameter]);
      Space::Ranks changed = centre;
      if (own != choices.begin()) {
        changed[parameter] = *std::prev(own);
        add_untaken(changed);
      }
      if (own != choices.end() && std::next(own) != choices.end()) {
        changed[parameter] = *std::next(own);
        add_untaken(changed);
      }
    }
  }

 private:
  Untried& untried_;
  std::size_t limit_;
  std::unordered_set<Space::Ranks, RanksHash> seen_;
  std::vector<Space::Ranks> list_;
};

}  // namespace

std::vector<Space::Ranks> candidates(Untried& untried, std::span<const Space::Ranks> best_first,
                                     std::size_t limit, std::mt19937_64& random) {
  if (untried.count() <= Count(limit)) return untried.all();
  CandidateSet set(untried, static_cast<std::size_t>(kNeighbourShare * static_cast<double>(limit)));
  // Configurations of related studies may be untried in this one.
  for (const Space::Ranks& each : best_first) set.add_untaken(each);
  std::vector<Space::Ranks> to_step_from;
  for (std::size_t i = 0; i < std::min(kSurveyed, best_first.size()); ++i) {
    auto around = set.add_neighbours(best_first[i]);
    if (i < kSurveyedTwice) std::ranges::move(around, std::back_inserter(to_step_from));
  }
  for (const Space::Ranks& each : to_step_from) {
    if (set.is_full()) break;
    set.add_steps(each);
  }
  set.set_limit(limit);
  // Draws may repeat themselves where little is left.
  for (std::size_t draw = 0; draw < 2 * limit && !set.is_full(); ++draw) set.add(*untried.sample(random));
  return std::move(set.list());
}

}  // namespace gktune
