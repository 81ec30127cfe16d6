#include "tuner/search/bayes/bayes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/search/bayes/acquisition.h"
#include "tuner/search/bayes/candidates.h"
#include "tuner/search/draws.h"

namespace gktune {
namespace {

// Related studies propose the first of a search that has any.
constexpr std::size_t kFirstWarm = 5;
// The model's first proposal requires this many valid trials.
constexpr std::size_t kFirstValid = 2;
// The kernel's parameters are fitted to the best observations and to random others. The model holds the same.
constexpr std::size_t kFittedBest = 50, kFittedOthers = 100;
constexpr std::size_t kRowsBest = 130, kRowsOthers = 120;
// Trials of related studies that the model learns from, and of one study at least.
constexpr std::size_t kRelated = 160, kFewestRelated = 10;
constexpr double kRefitShare = 0.07;  // of the observations are new: refit
constexpr std::size_t kRoom = 40;     // rows that are appended between refits
constexpr std::size_t kFewestCandidates = 500;
constexpr double kCandidateWork = 8e7;  // rows² times candidates at most

std::size_t candidate_limit(std::size_t rows, std::size_t most) {
  const double affordable = kCandidateWork / static_cast<double>(rows * rows + 1);
  return static_cast<std::size_t>(
      std::min(std::max(affordable, static_cast<double>(kFewestCandidates)), static_cast<double>(most)));
}

}  // namespace

Bayes::Bayes(const SearchTask& task, const BayesSettings& settings)
    : space_(task.space),
      settings_(settings),
      untried_(task.space),
      random_(task.seed),
      features_(task.space),
      start_(features_, untried_, random_, settings.start),
      fit_(features_),
      posterior_(features_) {
  std::uint16_t number = 1;
  for (const RelatedStudy& study : task.related) {
    if (observations_.size() + kFewestRelated > kRelated) break;
    learn(study, number++, kRelated - observations_.size());
  }
  related_ = observations_.size();
}

std::string Bayes::description() const {
  std::string text = "a Gaussian process predicts time, cost and failure";
  if (related_ > 0) text += "; it begins with " + std::to_string(related_) + " trials of related studies";
  return text;
}

void Bayes::learn(const RelatedStudy& study, std::uint16_t number, std::size_t room) {
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
    for (std::size_t i = room / 2; i < room; ++i) {
      std::swap(found[i], found[i + draw_place(random_, found.size() - i)]);
    }
    found.resize(room);
  }
  std::ranges::move(found, std::back_inserter(observations_));
}

// A parameter that the trial lacks has its default. A parameter that only the trial has is ignored.
std::optional<Space::Ranks> Bayes::fitted_ranks(const Config& config) const {
  Config fitted;
  for (const Parameter& parameter : space_.parameters()) {
    const Value* const value = config.find(parameter.name);
    const Value standard = parameter.default_value.value_or(parameter.values.front());
    fitted.set(parameter.name, value != nullptr ? *value : standard);
  }
  return space_.ranks_of(fitted);
}

void Bayes::tell(const Trial& trial) {
  auto ranks = space_.ranks_of(trial.config);
  if (!ranks || !space_.contains(*ranks)) return;
  if (untried_.take(*ranks)) known_.push_back(features_.point(*ranks));
  const Observation observation{
      *ranks, {features_.point(*ranks), 0}, trial.ok(), trial.objective, trial.compile_s + trial.run_s};
  if (const auto flying = in_flight_.find(*ranks); flying != in_flight_.end()) {
    in_flight_.erase(flying);
    const auto row = std::ranges::find_if(
        rows_, [&](const Row& each) { return !each.observation && each.ranks == *ranks; });
    if (row != rows_.end()) row->observation = observations_.size();
  } else {
    const auto known = std::ranges::find_if(
        observations_, [&](const Observation& each) { return each.site.study == 0 && each.ranks == *ranks; });
    if (known != observations_.end()) {
      own_ok_ += static_cast<std::size_t>(observation.is_ok) - static_cast<std::size_t>(known->is_ok);
      *known = observation;
      return;
    }
    is_fitted_ = false;  // it has no row
  }
  observations_.push_back(observation);
  ++own_;
  own_ok_ += observation.is_ok;
}

std::optional<Config> Bayes::ask() {
  if (untried_.empty()) return std::nullopt;
  const Space::Ranks ranks = is_starting() ? start_.propose(known_, random_) : choose();
  untried_.take(ranks);
  known_.push_back(features_.point(ranks));
  in_flight_.insert(ranks);
  if (is_fitted_ && posterior_.room() > 0) {
    posterior_.append({known_.back(), 0});
    rows_.push_back({std::nullopt, ranks});
  } else {
    is_fitted_ = false;
  }
  return space_.config_of(ranks);
}

bool Bayes::is_starting() const {
  return related_ == 0 && (own_ < settings_.first_points || own_ok_ < kFirstValid);
}

Space::Ranks Bayes::choose() {
  const std::size_t count = observations_.size();
  const auto interval =
      std::max<std::size_t>(1, static_cast<std::size_t>(kRefitShare * static_cast<double>(count)));
  const int proposals = std::max(1, settings_.fit_steps / static_cast<int>(interval));
  if (!is_fitted_ || count - fitted_at_ >= interval) {
    refit(proposals);
  } else {
    fit_.improve(proposals, random_);
    targets_ = targets_of(observations_);
  }
  const Posterior::Prediction predicted = posterior_.predict(outputs_of_rows());
  std::size_t chosen = candidates_.size();
  double most = -std::numeric_limits<double>::infinity(), most_improvement = 0;
  // Try the best configurations of related studies first: this shows how far those can be trusted.
  const bool is_warm_start = related_ > 0 && own_ + in_flight_.size() < kFirstWarm;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (is_chosen_[i]) continue;
    const auto row = static_cast<Eigen::Index>(i);
    const double improvement =
        expected_improvement(static_cast<double>(predicted.means(row, Targets::kTime)),
                             static_cast<double>(predicted.variances[row]), targets_.best);
    most_improvement = std::max(most_improvement, improvement);
    double worth =
        worth_of(improvement, static_cast<double>(predicted.means(row, Targets::kCost)),
                 static_cast<double>(predicted.means(row, Targets::kFailure)), settings_.cost_exponent);
    if (is_warm_start) worth = -static_cast<double>(predicted.means(row, Targets::kTime));
    if (worth > most) {
      most = worth;
      chosen = i;
    }
  }
  if (own_ok_ > 0) {
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

void Bayes::refit(int proposals) {
  targets_ = targets_of(observations_);
  const auto times = targets_.outputs.col(Targets::kTime);
  {
    const std::vector<std::size_t> chosen = best_and_others(kFittedBest, kFittedOthers);
    std::vector<Site> sites;
    Eigen::VectorXd outputs(static_cast<Eigen::Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      sites.push_back(observations_[chosen[i]].site);
      outputs[static_cast<Eigen::Index>(i)] = times[static_cast<Eigen::Index>(chosen[i])];
    }
    fit_.observe(std::move(sites), std::move(outputs));
    fit_.improve(proposals, random_);
  }
  rows_.clear();
  std::vector<Site> sites;
  for (const std::size_t each : best_and_others(kRowsBest, kRowsOthers)) {
    rows_.push_back({each, observations_[each].ranks});
    sites.push_back(observations_[each].site);
  }
  for (const Space::Ranks& ranks : in_flight_) {
    rows_.push_back({std::nullopt, ranks});
    sites.push_back({features_.point(ranks), 0});
  }
  std::vector<std::size_t> order(observations_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto nearest_best = std::min<std::size_t>(order.size(), 16);
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(nearest_best), {},
      [&](std::size_t i) { return std::pair(!observations_[i].is_ok, times[static_cast<Eigen::Index>(i)]); });
  std::vector<Space::Ranks> best_first;
  for (std::size_t i = 0; i < nearest_best; ++i) {
    const Observation& each = observations_[order[i]];
    if (each.is_ok && space_.contains(each.ranks)) best_first.push_back(each.ranks);
  }
  candidates_ =
      candidates(untried_, best_first, candidate_limit(rows_.size(), settings_.candidates), random_);
  is_chosen_.assign(candidates_.size(), false);
  std::vector<Point> points;
  for (const Space::Ranks& ranks : candidates_) points.push_back(features_.point(ranks));
  posterior_.reset(fit_.parameters(), std::move(sites), points, kRoom);
  fitted_at_ = observations_.size();
  is_fitted_ = true;
}

std::vector<std::size_t> Bayes::best_and_others(std::size_t best, std::size_t others) {
  std::vector<std::size_t> all(observations_.size());
  std::iota(all.begin(), all.end(), 0u);
  if (all.size() <= best + others) return all;
  const auto times = targets_.outputs.col(Targets::kTime);
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(best), {},
                           [&](std::size_t i) { return times[static_cast<Eigen::Index>(i)]; });
  for (std::size_t i = best; i < best + others; ++i) {
    std::swap(all[i], all[i + draw_place(random_, all.size() - i)]);
  }
  all.resize(best + others);
  return all;
}

Eigen::MatrixXf Bayes::outputs_of_rows() const {
  Eigen::MatrixXf outputs(static_cast<Eigen::Index>(rows_.size()), Targets::kCount);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (const auto observation = rows_[i].observation) {
      outputs.row(row) = targets_.outputs.row(static_cast<Eigen::Index>(*observation)).cast<float>();
    } else {
      outputs.row(row).setConstant(std::numeric_limits<float>::quiet_NaN());
    }
  }
  return outputs;
}

std::optional<double> Bayes::expected_gain() const { return expected_gain_; }

namespace {

std::unique_ptr<Searcher> make_bayes(const SearchTask& task) {
  const auto whole = [&](std::string_view name) { return task.option(name).integer(); };
  BayesSettings settings;
  settings.first_points = static_cast<std::size_t>(whole("first_points"));
  settings.start.small_share = task.option("small_share").real();
  settings.start.aligned_share = task.option("aligned_share").real();
  settings.cost_exponent = task.option("cost_exponent").real();
  settings.candidates = static_cast<std::size_t>(whole("candidates"));
  settings.fit_steps = static_cast<int>(whole("fit_steps"));
  return std::make_unique<Bayes>(task, settings);
}

}  // namespace

Strategy bayes_strategy() {
  const BayesSettings standard;
  const auto whole = [](auto number) { return Value(static_cast<std::int64_t>(number)); };
  return {
      .name = "bayes",
      .summary = "a Gaussian process predicts time, cost and failure; the most promising comes next",
      .options =
          {{"first_points",
            "trials before the model's first proposal",
            whole(standard.first_points),
            {4, 6, 8, 10},
            1,
            1000},
           {"aligned_share",
            "share of all configurations that count as aligned",
            standard.start.aligned_share,
            {0.05, 0.1, 0.25},
            0,
            1},
           {"small_share",
            "share of the aligned ones that count as small",
            standard.start.small_share,
            {0.12, 0.25, 0.5},
            0,
            1},
           {"cost_exponent", "weight of a candidate's cost", standard.cost_exponent, {0.25, 0.5, 1.0}, 0, 4},
           {"candidates",
            "configurations that the model compares",
            whole(standard.candidates),
            {500, 1000, 2000},
            1,
            20000},
           {"fit_steps",
            "steps of the kernel's fit between refits",
            whole(standard.fit_steps),
            {30, 60, 100, 200},
            0,
            10000}},
      .make = make_bayes};
}

}  // namespace gktune
