#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/search/bayes/covariance.h"
#include "tuner/search/bayes/model_search.h"
#include "tuner/search/bayes/posterior.h"

namespace gktune {
namespace {

// The covariance's parameters are fitted to the best observations and to random
// others. The model holds the same.
constexpr std::size_t kFittedBest = 50, kFittedOthers = 90;
constexpr std::size_t kRowsBest = 130, kRowsOthers = 120;
constexpr std::size_t kRoom = 40;  // rows that are appended between fits

// A Gaussian process. Each fit starts from the covariance's parameters of the fit before.
class GaussianProcess : public Surrogate {
 public:
  // Each call of `learn` makes `fit_steps` steps to fit the covariance's parameters.
  GaussianProcess(const Features& features, int fit_steps)
      : fit_steps_(fit_steps), fit_(features), posterior_(features) {}

  void learn(const TrainingData& data, const std::vector<Point>& candidates,
             std::mt19937_64& random) override {
    fit(data, random);
    rows_.clear();
    std::vector<Site> sites, candidate_sites;
    for (const std::size_t each : best_and_others(data.targets, kRowsBest, kRowsOthers, random)) {
      rows_.push_back({each, data.observations[each].site.point});
      sites.push_back(data.observations[each].site);
    }
    for (const Point& point : data.in_flight) {
      rows_.push_back({std::nullopt, point});
      sites.push_back({point, 0});
    }
    for (const Point& point : candidates) candidate_sites.push_back({point, 0});
    posterior_.reset(fit_.parameters(), std::move(sites), candidate_sites, kRoom);
  }

  bool is_full() const override { return posterior_.room() == 0; }

  void propose(const Point& point) override {
    posterior_.append({point, 0});
    rows_.push_back({std::nullopt, point});
  }

  void tell(const Point& point, std::size_t observation) override {
    const auto row = std::ranges::find_if(
        rows_, [&](const Row& each) { return !each.observation && each.point == point; });
    if (row != rows_.end()) row->observation = observation;
  }

  const Forecast& forecast(const TrainingData& data, std::mt19937_64& random) override {
    if (data.fresh > 1) fit_.improve(fit_steps_ / static_cast<int>(data.fresh), random);
    const Posterior::Prediction& predicted = posterior_.predict(outputs_of_rows(data.targets));
    forecast_.time = predicted.means.col(Targets::kTime);
    forecast_.log_cost = predicted.means.col(Targets::kCost);
    forecast_.failure = predicted.means.col(Targets::kFailure);
    forecast_.improvement.resize(predicted.variances.size());
    for (Eigen::Index i = 0; i < predicted.variances.size(); ++i) {
      forecast_.improvement[i] = static_cast<float>(
          expected_improvement(static_cast<double>(forecast_.time[i]),
                               static_cast<double>(predicted.variances[i]), data.targets.best));
    }
    return forecast_;
  }

 private:
  // A site of the posterior: an observation or, without one, a candidate in flight.
  struct Row {
    std::optional<std::size_t> observation;
    Point point;
  };

  void fit(const TrainingData& data, std::mt19937_64& random) {
    const auto chosen = best_and_others(data.targets, kFittedBest, kFittedOthers, random);
    std::vector<Site> sites;
    Eigen::VectorXf outputs(static_cast<Eigen::Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      sites.push_back(data.observations[chosen[i]].site);
      outputs[static_cast<Eigen::Index>(i)] =
          static_cast<float>(data.targets.outputs(static_cast<Eigen::Index>(chosen[i]), Targets::kTime));
    }
    fit_.observe(std::move(sites), std::move(outputs));
    fit_.improve(std::max(1, fit_steps_ / static_cast<int>(data.fresh)), random);
  }

  // NaN for candidates in flight.
  Eigen::MatrixXf outputs_of_rows(const Targets& targets) const {
    Eigen::MatrixXf outputs(static_cast<Eigen::Index>(rows_.size()), Targets::kCount);
    outputs.setConstant(std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (const auto observation = rows_[i].observation) {
        outputs.row(static_cast<Eigen::Index>(i)) =
            targets.outputs.row(static_cast<Eigen::Index>(*observation)).cast<float>();
      }
    }
    return outputs;
  }

  const int fit_steps_;
  CovarianceFit fit_;
  Posterior posterior_;
  std::vector<Row> rows_;
  Forecast forecast_;
};

// Bayesian optimisation with a Gaussian process.
std::unique_ptr<Searcher> make_bayes(const SearchTask& task) {
  const int fit_steps = static_cast<int>(task.count("fit_steps"));
  return std::make_unique<ModelSearch>(
      task,
      [fit_steps](const Features& features) {
        return std::make_unique<GaussianProcess>(features, fit_steps);
      },
      "a Gaussian process predicts time, cost and failure");
}

}  // namespace

Strategy bayes_strategy() {
  std::vector<StrategyOption> options = model_options(5, 4);
  options.push_back(
      {"fit_steps", "steps of the kernel's fit between refits", 100, {30, 60, 100, 200}, 0, 10000});
  return {.name = "bayes",
          .summary = "a Gaussian process predicts time, cost and failure; the most promising comes next",
          .options = std::move(options),
          .make = make_bayes};
}

}  // namespace gktune
