#include "tuner/search/bayes/proposals.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "tuner/analysis/draws.h"
#include "tuner/search/bayes/features.h"

namespace gktune {
namespace {

constexpr std::size_t kListed = 4000;  // a larger space is represented by this many random configurations
// With fewer parameters that have the feature `twos`, alignment would fix the value of one.
constexpr std::ptrdiff_t kFewestAligned = 2;
constexpr int kDraws = 40;
constexpr std::size_t kSurveyed = 300;  // configurations that stand for the space

// Finds the values of one parameter with which another parameter has a single valid value. The size of that
// value tells nothing, because it is no choice.
class Pins {
 public:
  Pins(const Space& space, const std::vector<Space::Ranks>& sample) {
    const auto& parameters = space.parameters();
    for (std::uint32_t by = 0; by < parameters.size(); ++by) {
      const std::size_t values = parameters[by].values.size();
      if (values < 2 || values * kFewest > sample.size()) continue;
      std::vector<std::size_t> counts(values);
      for (const Space::Ranks& ranks : sample) ++counts[ranks[by]];
      for (std::uint32_t of = 0; of < parameters.size(); ++of) {
        if (of == by || parameters[of].values.size() < 2) continue;
        std::vector<std::optional<std::uint32_t>> only(values);
        std::vector<bool> is_pinned(values, true);
        for (const Space::Ranks& ranks : sample) {
          auto& first = only[ranks[by]];
          if (!first) first = ranks[of];
          if (*first != ranks[of]) is_pinned[ranks[by]] = false;
        }
        for (std::uint32_t value = 0; value < values; ++value) {
          if (is_pinned[value] && counts[value] >= kFewest) pins_.push_back({by, value, of});
        }
      }
    }
  }
  bool is_pinned(const Space::Ranks& ranks, std::uint32_t parameter) const {
    return std::ranges::any_of(
        pins_, [&](const Pin& pin) { return pin.of == parameter && ranks[pin.by] == pin.value; });
  }

 private:
  struct Pin {
    std::uint32_t by, value, of;
  };
  static constexpr std::size_t kFewest = 30;  // fewer configurations may agree by chance
  std::vector<Pin> pins_;
};

// The candidates include the neighbours of this many of the best, and the neighbours' neighbours of fewer.
constexpr std::size_t kWithNeighbours = 5, kWithTheirNeighbours = 2;
// Neighbours may fill this share; one parameter may have very many values.
constexpr double kNeighbourShare = 0.7;

}  // namespace

Start::Start(const Features& features, Untried& untried, std::mt19937_64& random,
             const StartSettings& settings)
    : features_(features), untried_(untried) {
  if (untried.count() <= Count(kListed)) {
    pool_ = untried.all();
  } else {
    for (std::size_t i = 0; i < kListed; ++i) pool_.push_back(*untried.sample(random));
  }
  is_small_ = std::ranges::count_if(features.dimensions(), &Dimension::has_twos) >= kFewestAligned;
  if (is_small_) keep_small_and_aligned(settings);
  middle_.assign(features.dimensions().size(), 0);
  for (const auto& ranks : pool_) {
    const Point point = features.point(ranks);
    for (std::size_t i = 0; i < point.size(); ++i) {
      middle_[i] += static_cast<double>(features.dimensions()[i].levels[point[i]].position) /
                    static_cast<double>(pool_.size());
    }
  }
  for (std::size_t i = 0; i < kSurveyed && !pool_.empty(); ++i) {
    survey_.push_back(features.point(pool_[draw_place(random, pool_.size())]));
  }
  nearest_.assign(survey_.size(), std::numeric_limits<double>::infinity());
}

void Start::keep_small_and_aligned(const StartSettings& settings) {
  if (pool_.empty()) return;
  const Pins pins(untried_.space(), pool_);
  const auto alignment_of = [&](const Space::Ranks& ranks) {
    return features_.alignment(features_.point(ranks));
  };
  const auto size_of = [&](const Space::Ranks& ranks) {
    double sum = 0;
    for (const Dimension& dimension : features_.dimensions()) {
      if (dimension.size_of.empty()) continue;
      sum += pins.is_pinned(ranks, dimension.parameter) ? std::ranges::min(dimension.size_of)
                                                        : dimension.size_of[ranks[dimension.parameter]];
    }
    return sum;
  };
  const auto quantile_of = [&](const auto& number_of, double share) {
    std::vector<double> numbers;
    std::ranges::transform(pool_, std::back_inserter(numbers), number_of);
    std::ranges::sort(numbers);
    return quantile(numbers, share);
  };
  const double least = quantile_of(alignment_of, 1 - settings.aligned_share);
  std::erase_if(pool_, [&](const auto& ranks) { return alignment_of(ranks) < least; });
  const double largest = quantile_of(size_of, settings.small_share);
  std::erase_if(pool_, [&](const auto& ranks) { return size_of(ranks) > largest; });
}

double Start::distance(const Point& a, const Point& b) const {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Dimension& dimension = features_.dimensions()[i];
    sum +=
        dimension.is_categorical
            ? (a[i] == b[i] ? 0 : 1)
            : squared(static_cast<double>(dimension.levels[a[i]].position - dimension.levels[b[i]].position));
  }
  return sum;
}

std::vector<Space::Ranks> Start::untried() const {
  std::vector<Space::Ranks> found;
  std::ranges::copy_if(pool_, std::back_inserter(found),
                       [&](const Space::Ranks& ranks) { return !untried_.is_taken(ranks); });
  return found;
}

double Start::distance_from_middle(const Point& point) const {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    sum += squared(static_cast<double>(features_.dimensions()[i].levels[point[i]].position) - middle_[i]);
  }
  return sum;
}

// The sum over the survey of the distance from the nearest of this point and the known ones.
double Start::distance_from_survey(const Point& point) const {
  double sum = 0;
  for (std::size_t i = 0; i < survey_.size(); ++i) sum += std::min(nearest_[i], distance(survey_[i], point));
  return sum;
}

void Start::note_known(std::span<const Point> known) {
  for (; noted_ < known.size(); ++noted_) {
    for (std::size_t i = 0; i < survey_.size(); ++i)
      nearest_[i] = std::min(nearest_[i], distance(survey_[i], known[noted_]));
  }
}

Space::Ranks Start::propose(std::span<const Point> known, std::mt19937_64& random) {
  if (!is_small_) note_known(known);
  const auto worth_of = [&](const Point& point) {
    if (!is_small_) return -distance_from_survey(point);
    if (known.empty()) return -distance_from_middle(point);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Point& other : known) nearest = std::min(nearest, distance(point, other));
    return nearest;
  };
  std::optional<Space::Ranks> best;
  double most = -std::numeric_limits<double>::infinity();
  for (int draw = 0; draw < kDraws && !pool_.empty(); ++draw) {
    const Space::Ranks& ranks = pool_[draw_place(random, pool_.size())];
    if (untried_.is_taken(ranks)) continue;
    const double worth = worth_of(features_.point(ranks));
    if (worth > most) {
      most = worth;
      best = ranks;
    }
  }
  return best ? *best : *untried_.sample(random);
}

std::vector<Space::Ranks> candidates(Untried& untried, std::span<const Space::Ranks> best_first,
                                     std::size_t limit, std::mt19937_64& random) {
  if (untried.count() <= Count(limit)) return untried.all();
  const Space& space = untried.space();
  std::vector<Space::Ranks> found;
  std::unordered_set<Space::Ranks, RanksHash> seen;
  auto room = static_cast<std::size_t>(kNeighbourShare * static_cast<double>(limit));
  const auto add = [&](const Space::Ranks& valid) {
    if (found.size() < room && !untried.is_taken(valid) && seen.insert(valid).second) found.push_back(valid);
  };
  // Configurations of related studies may be untried in this one.
  for (const Space::Ranks& each : best_first) add(each);
  std::vector<Space::Ranks> to_step_from;
  for (std::size_t i = 0; i < std::min(kWithNeighbours, best_first.size()); ++i) {
    auto around = neighbours_of(space, best_first[i], [](std::uint32_t) { return false; });
    for (const Space::Ranks& ranks : around) add(ranks);
    if (i < kWithTheirNeighbours) std::ranges::move(around, std::back_inserter(to_step_from));
  }
  for (const Space::Ranks& each : to_step_from) {
    if (found.size() >= room) break;
    for (const auto& ranks : neighbours_of(space, each, [](std::uint32_t) { return true; })) add(ranks);
  }
  room = limit;
  // Draws may repeat themselves where little is left.
  for (std::size_t draw = 0; draw < 2 * limit && found.size() < room; ++draw) add(*untried.sample(random));
  return found;
}

}  // namespace gktune
