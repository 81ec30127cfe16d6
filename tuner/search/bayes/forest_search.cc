// Bayesian optimisation with a forest.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/analysis/forest.h"
#include "tuner/search/bayes/model_search.h"

namespace gktune {
namespace {

constexpr std::size_t kGrownBest = 130, kGrownOthers = 170;  // that the trees learn from, at most
constexpr double kRelatedWeight = 0.2;                       // of an observation of a related study
constexpr double kLeastVariance = 1e-4;

// The positions of the levels in each dimension, their factors of two and their roundness.
std::vector<Forest::Feature> splitting_features(const Features& features) {
  std::vector<Forest::Feature> found;
  for (std::size_t i = 0; i < features.dimensions().size(); ++i) {
    const Dimension& dimension = features.dimensions()[i];
    Forest::Feature place{.factor = i, .is_ordered = !dimension.is_categorical}, twos{.factor = i},
        roundness{.factor = i};
    for (std::size_t level = 0; level < dimension.levels.size(); ++level) {
      place.of_place.push_back(dimension.is_categorical ? static_cast<float>(level)
                                                        : dimension.levels[level].position);
      twos.of_place.push_back(dimension.levels[level].twos);
      roundness.of_place.push_back(dimension.levels[level].roundness);
    }
    found.push_back(std::move(place));
    if (!dimension.has_twos) continue;
    found.push_back(std::move(twos));
    found.push_back(std::move(roundness));
  }
  return found;
}

// A surrogate that grows a forest over all observations. Each call of `learn` adds the candidates in flight
// to them.
class ForestSurrogate : public Surrogate {
 public:
  ForestSurrogate(const Features& features, std::size_t trees)
      : forest_(splitting_features(features), trees, kOutputs) {}

  void learn(const TrainingData& data, const std::vector<Point>& candidates,
             std::mt19937_64& random) override {
    proposed_ = 0;
    fresh_ = data.fresh;
    grow(data, random);
    predict(data, candidates);
  }
  bool is_full() const override { return proposed_ > fresh_; }
  void propose(const Point&) override { ++proposed_; }
  void tell(const Point&, std::size_t) override {}
  const Forecast& forecast(const TrainingData&, std::mt19937_64&) override { return forecast_; }

 protected:
  // The first output of each observation, and its weight. A candidate in flight has the output 0 and the
  // weight 1.
  struct Lesson {
    Eigen::VectorXd outputs, weights;
  };
  virtual Lesson lesson(const TrainingData& data) const = 0;
  // A candidate's time output and improvement.
  struct Promise {
    double time = 0, improvement = 0;
  };
  // `by_tree` is the prediction of each tree.
  virtual Promise promise(const Eigen::VectorXd& by_tree, const TrainingData& data) const = 0;

 private:
  static constexpr std::size_t kOutputs = static_cast<std::size_t>(Targets::kCount);

  void grow(const TrainingData& data, std::mt19937_64& random) {
    const Lesson lesson = this->lesson(data);
    std::vector<Point> points;
    std::vector<double> outputs, weights;
    for (const std::size_t each : best_and_others(data.targets, kGrownBest, kGrownOthers, random)) {
      const auto row = static_cast<Eigen::Index>(each);
      const Site& site = data.observations[each].site;
      points.push_back(site.point);
      outputs.insert(outputs.end(), {lesson.outputs[row], data.targets.outputs(row, Targets::kCost),
                                     data.targets.outputs(row, Targets::kFailure)});
      weights.push_back(lesson.weights[row] * (site.study == 0 ? 1 : kRelatedWeight));
    }
    points.insert(points.end(), data.in_flight.begin(), data.in_flight.end());
    outputs.resize(kOutputs * points.size());
    weights.resize(points.size(), 1);
    forest_.grow({points, outputs, weights}, random);
  }

  void predict(const TrainingData& data, const std::vector<Point>& candidates) {
    const auto width = static_cast<Eigen::Index>(candidates.size());
    forecast_ = {Eigen::VectorXf(width), Eigen::VectorXf(width), Eigen::VectorXf(width),
                 Eigen::VectorXf(width)};
    Eigen::MatrixXd by_tree(static_cast<Eigen::Index>(forest_.trees()), Targets::kCount);
    for (Eigen::Index i = 0; i < width; ++i) {
      for (Eigen::Index tree = 0; tree < by_tree.rows(); ++tree) {
        const auto outputs =
            forest_.predict(static_cast<std::size_t>(tree), candidates[static_cast<std::size_t>(i)]);
        by_tree.row(tree) = Eigen::Map<const Eigen::RowVectorXd>(outputs.data(), Targets::kCount);
      }
      const Promise promise = this->promise(by_tree.col(Targets::kTime), data);
      forecast_.time[i] = static_cast<float>(promise.time);
      forecast_.improvement[i] = static_cast<float>(promise.improvement);
      forecast_.log_cost[i] = static_cast<float>(by_tree.col(Targets::kCost).mean());
      forecast_.failure[i] = static_cast<float>(by_tree.col(Targets::kFailure).mean());
    }
  }

  Forest forest_;
  Forecast forecast_;
  std::size_t proposed_ = 0, fresh_ = 1;
};

// An ensemble of trees: the more their predictions differ, the less certain they are.
class TreeEnsemble : public ForestSurrogate {
 public:
  using ForestSurrogate::ForestSurrogate;

 private:
  // The outputs have the mean 0, so a candidate in flight is expected to be mediocre, and the next proposal
  // goes elsewhere.
  Lesson lesson(const TrainingData& data) const override {
    const auto times = data.targets.outputs.col(Targets::kTime);
    return {times, Eigen::VectorXd::Ones(times.size())};
  }
  Promise promise(const Eigen::VectorXd& by_tree, const TrainingData& data) const override {
    const double mean = by_tree.mean();
    const double variance = (by_tree.array() - mean).square().mean();
    return {mean, expected_improvement(mean, std::max(variance, kLeastVariance), data.targets.best)};
  }
};

// Likelihood-free Bayesian optimisation (Song et al., 2022): a classifier learns which configurations are
// among the best so far. The weight of each of these is its utility: the difference of its time from the
// threshold. The odds that a candidate is among the best are then proportional to its expected improvement.
class BestClassifier : public ForestSurrogate {
 public:
  BestClassifier(const Features& features, std::size_t trees, double best_share)
      : ForestSurrogate(features, trees), best_share_(best_share) {}
  bool knows_gain() const override { return false; }

 private:
  static constexpr std::size_t kFewestBest = 2;

  // A row stands for two: one that is not among the best, with weight 1, and one that is, with the utility as
  // its weight. A candidate in flight is not among the best until it is told.
  Lesson lesson(const TrainingData& data) const override {
    const Eigen::VectorXd utilities = this->utilities(data);
    return {utilities.array() / (utilities.array() + 1), utilities.array() + 1};
  }

  // By how much the time of each observation is below the threshold, scaled to a mean of 1 among those below
  // it. All are 0 if none is.
  Eigen::VectorXd utilities(const TrainingData& data) const {
    const auto times = data.targets.outputs.col(Targets::kTime);
    Eigen::VectorXd utilities = Eigen::VectorXd::Zero(times.size());
    std::vector<double> ok_times;
    for (Eigen::Index i = 0; i < times.size(); ++i) {
      if (data.observations[static_cast<std::size_t>(i)].is_ok) ok_times.push_back(times[i]);
    }
    if (ok_times.empty()) return utilities;
    const auto share = static_cast<std::size_t>(best_share_ * static_cast<double>(ok_times.size()));
    const std::size_t last = std::min(std::max(share, kFewestBest), ok_times.size() - 1);
    std::ranges::nth_element(ok_times, ok_times.begin() + static_cast<std::ptrdiff_t>(last));
    for (Eigen::Index i = 0; i < times.size(); ++i) {
      if (data.observations[static_cast<std::size_t>(i)].is_ok) {
        utilities[i] = std::max(ok_times[last] - times[i], 0.0);
      }
    }
    const auto best = (utilities.array() > 0).count();
    if (best > 0) utilities *= static_cast<double>(best) / utilities.sum();
    return utilities;
  }

  Promise promise(const Eigen::VectorXd& by_tree, const TrainingData&) const override {
    const double probability = std::min(by_tree.mean(), 0.999);
    const double odds = probability / (1 - probability);
    return {-odds, odds};
  }

  const double best_share_;
};

std::unique_ptr<Searcher> make_trees(const SearchTask& task) {
  const std::size_t trees = task.count("trees");
  return std::make_unique<ModelSearch>(
      task, "an ensemble of trees predicts time, cost and failure",
      [trees](const Features& features) { return std::make_unique<TreeEnsemble>(features, trees); });
}

std::unique_ptr<Searcher> make_classifier(const SearchTask& task) {
  return std::make_unique<ModelSearch>(task, "a classifier predicts which configurations are among the best",
                                       classifier_maker(task.count("trees"), task.real("best_share")));
}

// The options of all strategies that search by a forest, which learns little from fewer than eight trials.
std::vector<StrategyOption> forest_options() {
  std::vector<StrategyOption> options = model_options(8, 8);
  options.push_back(count_option("trees", "trees of the forest", kTrees));
  return options;
}

}  // namespace

MakeSurrogate classifier_maker(std::size_t trees, double best_share) {
  return
      [=](const Features& features) { return std::make_unique<BestClassifier>(features, trees, best_share); };
}

Strategy trees_strategy() {
  return {.name = "trees",
          .summary = "an ensemble of trees predicts time, cost and failure; the most promising comes next",
          .options = forest_options(),
          .make = make_trees};
}

Strategy classifier_strategy() {
  std::vector<StrategyOption> options = forest_options();
  options.push_back(share_option("best_share", "share of the trials that count as the best", kBestShare));
  return {.name = "classifier",
          .summary = "a classifier predicts which configurations are among the best so far",
          .options = std::move(options),
          .make = make_classifier};
}

}  // namespace gktune
