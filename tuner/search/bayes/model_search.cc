#include "tuner/search/bayes/model_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "tuner/analysis/draws.h"

namespace gktune {
namespace {

constexpr std::size_t kListed = 4000;  // a larger space is represented by this many random configurations
// With fewer parameters that have the feature `twos`, alignment would fix the value of one.
constexpr std::ptrdiff_t kFewestAligned = 2;
constexpr double kAlignedShare = 0.1;  // of all configurations
constexpr double kSmallShare = 0.25;   // of the aligned ones
constexpr int kDraws = 40;
constexpr std::size_t kSurveyed = 300;  // configurations that stand for the space

// Finds the values of one parameter with which another parameter has a single valid value. The size of that
// value does not count as the size of a configuration, because it is no choice.
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

Start::Start(const Features& features, Untried& untried, std::mt19937_64& random)
    : features_(features), untried_(untried) {
  if (untried.count() <= Count(kListed)) {
    pool_ = untried.all();
  } else {
    for (std::size_t i = 0; i < kListed; ++i) pool_.push_back(*untried.sample(random));
  }
  is_small_ = std::ranges::count_if(features.dimensions(), &Dimension::has_twos) >= kFewestAligned;
  if (is_small_) keep_small_and_aligned();
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

void Start::keep_small_and_aligned() {
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
  const double least = quantile_of(alignment_of, 1 - kAlignedShare);
  std::erase_if(pool_, [&](const auto& ranks) { return alignment_of(ranks) < least; });
  const double largest = quantile_of(size_of, kSmallShare);
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
    auto around = neighbours_of(space, best_first[i], [](std::uint32_t) { return 0u; });
    for (const Space::Ranks& ranks : around) add(ranks);
    if (i < kWithTheirNeighbours) std::ranges::move(around, std::back_inserter(to_step_from));
  }
  for (const Space::Ranks& each : to_step_from) {
    if (found.size() >= room) break;
    for (const auto& ranks : neighbours_of(space, each, [](std::uint32_t) { return 1u; })) add(ranks);
  }
  room = limit;
  // Draws may repeat themselves where little is left.
  for (std::size_t draw = 0; draw < 2 * limit && found.size() < room; ++draw) add(*untried.sample(random));
  return found;
}

namespace {

// Related studies propose the first of a search that has any.
constexpr std::size_t kFirstWarm = 5;
// The model's first proposal requires this many valid trials.
constexpr std::size_t kFirstValid = 2;
// Trials of related studies that the model learns from, and of one study at least.
constexpr std::size_t kRelated = 160, kFewestRelated = 10;
constexpr double kRefitShare = 0.07;  // of the observations are new: refit
constexpr std::size_t kFewestCandidates = 500;
constexpr std::size_t kMostRows = 250;  // beyond these a model's work grows no more
constexpr double kCandidateWork = 5e7;  // rows² times candidates at most
constexpr std::size_t kMostCandidates = 2000;
// Trials of the searched study before the model's first proposal: small and aligned ones, or those that cover
// the space.
constexpr std::size_t kSpreadPoints = 5, kCoveringPoints = 4;
constexpr std::size_t kSmallPoints = 8;  // small and aligned trials; the model chooses the last of them
constexpr double kCostExponent = 0.5;    // weight of a candidate's cost
constexpr std::size_t kPatience = 10;

std::size_t candidate_limit(std::size_t rows) {
  rows = std::min(rows, kMostRows);
  const double affordable = kCandidateWork / static_cast<double>(rows * rows + 1);
  return static_cast<std::size_t>(
      std::clamp(affordable, static_cast<double>(kFewestCandidates), static_cast<double>(kMostCandidates)));
}

constexpr double kSurestFailure = 0.97;

// True if they differ in one parameter.
bool are_neighbours(const Space::Ranks& a, const Space::Ranks& b) {
  std::size_t apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) apart += a[i] != b[i];
  return apart == 1;
}

}  // namespace

double expected_improvement(double mean, double variance, double best) {
  const double deviation = std::sqrt(variance);
  const double gain = best - mean;
  const double z = gain / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return std::max(gain * below + deviation * density, 0.0);
}

double worth_of(double improvement, double log_cost, double failure) {
  return improvement * std::exp(-kCostExponent * log_cost) * (1 - std::clamp(failure, 0.0, kSurestFailure));
}

ModelSearch::ModelSearch(const SearchTask& task)
    : space_(task.space),
      untried_(task.space),
      random_(task.seed),
      features_(task.space),
      start_(features_, untried_, random_),
      first_points_(start_.is_small() ? kSpreadPoints : kCoveringPoints),
      process_(make_gaussian_process(features_)),
      classifier_(make_classifier(features_)),
      turns_(kPatience, task.budget) {
  std::uint16_t number = 1;
  for (const RelatedStudy& study : task.related) {
    if (observations_.size() + kFewestRelated > kRelated) break;
    learn(study, number++, kRelated - observations_.size());
  }
  related_ = observations_.size();
}

std::string ModelSearch::description() const {
  std::string text = "a Gaussian process predicts time, cost and failure";
  if (related_ > 0) text += "; it begins with " + std::to_string(related_) + " trials of related studies";
  return text;
}

void ModelSearch::learn(const RelatedStudy& study, std::uint16_t number, std::size_t room) {
  std::vector<Observation> found;
  for (const Trial& trial : study.trials) {
    if (auto ranks = fitted_ranks(trial.config)) {
      Site site{features_.point(*ranks), number};
      found.push_back(
          {*std::move(ranks), std::move(site), trial.ok(), trial.objective, trial.compile_s + trial.run_s});
    }
  }
  if (found.size() > room) {
    const auto best = static_cast<std::ptrdiff_t>(room / 2);
    std::ranges::nth_element(found, found.begin() + best, {}, [](const Observation& each) {
      return std::pair(!each.is_ok, each.is_ok ? each.objective : 0);
    });
    draw_to_front(random_, found, room / 2, room - room / 2);
    found.resize(room);
  }
  std::ranges::move(found, std::back_inserter(observations_));
}

// A parameter that the trial lacks has its default. A parameter that only the trial has is ignored.
std::optional<Space::Ranks> ModelSearch::fitted_ranks(const Config& config) const {
  Config fitted;
  for (const Parameter& parameter : space_.parameters()) {
    const Value* const value = config.find(parameter.name);
    const Value standard = parameter.default_value.value_or(parameter.values.front());
    fitted.set(parameter.name, value != nullptr ? *value : standard);
  }
  return space_.ranks_of(fitted);
}

void ModelSearch::tell(const Trial& trial) {
  auto ranks = space_.ranks_of(trial.config);
  if (!ranks || !space_.contains(*ranks)) return;
  if (untried_.take(*ranks)) known_.push_back(features_.point(*ranks));
  const Point point = features_.point(*ranks);
  const Observation observation{
      *ranks, {point, 0}, trial.ok(), trial.objective, trial.compile_s + trial.run_s};
  const auto flying = in_flight_.find(*ranks);
  turns_.tell(trial, flying != in_flight_.end() ? flying->second : Proposer::process);
  if (flying != in_flight_.end()) {
    in_flight_.erase(flying);
    for (Surrogate* const surrogate : fitted()) surrogate->tell(point, observations_.size());
    if (is_fitted_) {
      is_target_due_ = is_target_due_ || !targets_.extend(observation);
    }
  } else {
    is_fitted_ = false;  // it is not known as a proposal
    const auto known = std::ranges::find_if(
        observations_, [&](const Observation& each) { return each.site.study == 0 && each.ranks == *ranks; });
    if (known != observations_.end()) {
      own_ok_ += static_cast<std::size_t>(observation.is_ok) - static_cast<std::size_t>(known->is_ok);
      *known = observation;
      return;
    }
  }
  observations_.push_back(observation);
  ++own_;
  own_ok_ += observation.is_ok;
}

std::optional<Config> ModelSearch::ask() {
  if (untried_.empty()) return std::nullopt;
  const Proposer proposer = is_starting() ? Proposer::process : turns_.next();
  const Space::Ranks ranks = is_starting() ? start_.propose(known_, random_) : choose(proposer);
  untried_.take(ranks);
  await(ranks, proposer);
  return space_.config_of(ranks);
}

void ModelSearch::expect(const Config& config) {
  const auto ranks = space_.ranks_of(config);
  if (!ranks || !untried_.take(*ranks)) return;
  const auto candidate = std::ranges::find(candidates_, *ranks);
  if (candidate != candidates_.end())
    is_chosen_[static_cast<std::size_t>(candidate - candidates_.begin())] = true;
  await(*ranks, Proposer::process);
}

// A configuration is in flight from now on.
void ModelSearch::await(const Space::Ranks& ranks, Proposer proposer) {
  known_.push_back(features_.point(ranks));
  in_flight_.emplace(ranks, proposer);
  is_fitted_ = is_fitted_ && !process_->is_full();
  is_classifier_fitted_ = is_classifier_fitted_ && !classifier_->is_full();
  for (Surrogate* const surrogate : fitted()) surrogate->propose(known_.back());
}

// The surrogates that know the candidates.
std::vector<Surrogate*> ModelSearch::fitted() const {
  std::vector<Surrogate*> found;
  if (is_fitted_) found.push_back(process_.get());
  if (is_fitted_ && is_classifier_fitted_) found.push_back(classifier_.get());
  return found;
}

// Counts what is in flight too: with many candidates in flight, the model would else come late.
bool ModelSearch::is_starting() const {
  return related_ == 0 && (own_ + in_flight_.size() < first_points_ || own_ok_ < kFirstValid);
}

bool ModelSearch::keeps_small() const {
  return related_ == 0 && start_.is_small() && own_ + in_flight_.size() < kSmallPoints;
}

std::size_t ModelSearch::interval() const {
  return std::max<std::size_t>(1, static_cast<std::size_t>(kRefitShare * static_cast<double>(own_)));
}

TrainingData ModelSearch::training_data() const {
  TrainingData data{observations_, targets_, interval()};
  for (const auto& [ranks, proposer] : in_flight_) data.in_flight.push_back(features_.point(ranks));
  return data;
}

const Forecast& ModelSearch::forecast_of(Proposer proposer) {
  if (proposer != Proposer::classifier) return process_->forecast(training_data(), random_);
  if (!is_classifier_fitted_) classifier_->learn(training_data(), candidate_points_, random_);
  is_classifier_fitted_ = true;
  return classifier_->forecast(training_data(), random_);
}

// The candidates that this proposer may choose. A neighbour is one of the best that has any, or any
// candidate.
std::vector<bool> ModelSearch::open_candidates(Proposer proposer) const {
  std::vector<bool> open(is_chosen_);
  open.flip();
  if (proposer != Proposer::neighbour) return open;
  for (std::size_t i = 0; i < std::min(kWithNeighbours, best_first_.size()); ++i) {
    std::vector<bool> near(open.size());
    for (std::size_t j = 0; j < open.size(); ++j)
      near[j] = open[j] && are_neighbours(best_first_[i], candidates_[j]);
    if (std::ranges::find(near, true) != near.end()) return near;
  }
  return open;
}

Space::Ranks ModelSearch::choose(Proposer proposer) {
  if (!is_fitted_ || keeps_small_ != keeps_small() || observations_.size() - fitted_at_ >= interval()) {
    refit();
  } else if (is_target_due_) {
    targets_ = targets_of(observations_);
    is_target_due_ = false;
  }
  const Forecast& forecast = forecast_of(proposer);
  const std::vector<bool> is_open = open_candidates(proposer);
  std::size_t chosen = candidates_.size();
  double most = -std::numeric_limits<double>::infinity(), most_improvement = 0;
  // Try the best configurations of related studies first: this shows how far those can be trusted.
  const bool is_warm_start = related_ > 0 && own_ + in_flight_.size() < kFirstWarm;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (is_chosen_[i]) continue;
    const auto row = static_cast<Eigen::Index>(i);
    const auto improvement = static_cast<double>(forecast.improvement[row]);
    most_improvement = std::max(most_improvement, improvement);
    if (!is_open[i]) continue;
    const double worth = is_warm_start ? -static_cast<double>(forecast.time[row])
                                       : worth_of(improvement, static_cast<double>(forecast.log_cost[row]),
                                                  static_cast<double>(forecast.failure[row]));
    if (worth > most) {
      most = worth;
      chosen = i;
    }
  }
  if (own_ok_ > 0 && proposer != Proposer::classifier) {
    const double before = targets_.log_objective_of(targets_.best);
    const double after = targets_.log_objective_of(targets_.best - most_improvement);
    expected_gain_ = 1 - std::exp(after - before);
  }
  if (chosen == candidates_.size()) {
    is_fitted_ = false;  // all of them are used up
    return *untried_.sample(random_);
  }
  is_chosen_[chosen] = true;
  return candidates_[chosen];
}

void ModelSearch::refit() {
  targets_ = targets_of(observations_);
  is_target_due_ = false;
  const auto times = targets_.outputs.col(Targets::kTime);
  std::vector<std::size_t> order(observations_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto nearest_best = std::min<std::size_t>(order.size(), 16);
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(nearest_best), {},
      [&](std::size_t i) { return std::pair(!observations_[i].is_ok, times[static_cast<Eigen::Index>(i)]); });
  best_first_.clear();
  for (std::size_t i = 0; i < nearest_best; ++i) {
    const Observation& each = observations_[order[i]];
    if (each.is_ok && space_.contains(each.ranks)) best_first_.push_back(each.ranks);
  }
  const std::size_t limit = candidate_limit(observations_.size());
  keeps_small_ = keeps_small();
  candidates_ = keeps_small_ ? start_.untried() : std::vector<Space::Ranks>();
  if (candidates_.size() > limit) candidates_.resize(limit);
  if (candidates_.empty()) candidates_ = candidates(untried_, best_first_, limit, random_);
  is_chosen_.assign(candidates_.size(), false);
  candidate_points_.clear();
  for (const Space::Ranks& ranks : candidates_) candidate_points_.push_back(features_.point(ranks));
  process_->learn(training_data(), candidate_points_, random_);
  fitted_at_ = observations_.size();
  is_fitted_ = true;
  is_classifier_fitted_ = false;
}

Strategy bayes_strategy() {
  return {.name = "bayes",
          .summary = "a Gaussian process predicts time, cost and failure; the most promising comes next",
          .make = make_strategy<ModelSearch>};
}

}  // namespace gktune
