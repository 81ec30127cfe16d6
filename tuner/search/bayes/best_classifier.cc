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
constexpr std::size_t kTrees = 30;
constexpr double kBestShare = 0.2;  // of the observations that went well
constexpr std::size_t kFewestBest = 2;

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

// Likelihood-free Bayesian optimisation (Song et al., 2022): a classifier learns which configurations are
// among the best so far. The weight of each of these is its utility: the difference of its time from the
// threshold. The odds that a candidate is among the best are then proportional to its expected improvement.
// The classifier is a forest over all observations. Each call of `learn` adds the candidates in flight to
// them.
class BestClassifier : public Surrogate {
 public:
  explicit BestClassifier(const Features& features)
      : forest_(splitting_features(features), kTrees, kOutputs) {}

  void learn(const TrainingData& data, const std::vector<Point>& candidates,
             std::mt19937_64& random) override {
    proposed_ = 0;
    fresh_ = data.fresh;
    grow(data, random);
    predict(candidates);
  }
  bool is_full() const override { return proposed_ > fresh_; }
  void propose(const Point&) override { ++proposed_; }
  void tell(const Point&, std::size_t) override {}
  const Forecast& forecast(const TrainingData&, std::mt19937_64&) override { return forecast_; }

 private:
  static constexpr std::size_t kOutputs = static_cast<std::size_t>(Targets::kCount);

  void grow(const TrainingData& data, std::mt19937_64& random) {
    // A row stands for two: one that is not among the best, with weight 1, and one that is, with the utility
    // as its weight. A candidate in flight is not among the best until it is told.
    const Eigen::VectorXd utilities = utilities_of(data);
    std::vector<Point> points;
    std::vector<double> outputs, weights;
    for (const std::size_t each : best_and_others(data.targets, kGrownBest, kGrownOthers, random)) {
      const auto row = static_cast<Eigen::Index>(each);
      const Site& site = data.observations[each].site;
      points.push_back(site.point);
      outputs.insert(outputs.end(),
                     {utilities[row] / (utilities[row] + 1), data.targets.outputs(row, Targets::kCost),
                      data.targets.outputs(row, Targets::kFailure)});
      weights.push_back((utilities[row] + 1) * (site.study == 0 ? 1 : kRelatedWeight));
    }
    points.insert(points.end(), data.in_flight.begin(), data.in_flight.end());
    outputs.resize(kOutputs * points.size());
    weights.resize(points.size(), 1);
    forest_.grow({points, outputs, weights}, random);
  }

  void predict(const std::vector<Point>& candidates) {
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
      const double probability = std::min(by_tree.col(Targets::kTime).mean(), 0.999);
      const double odds = probability / (1 - probability);
      forecast_.time[i] = static_cast<float>(-odds);
      forecast_.improvement[i] = static_cast<float>(odds);
      forecast_.log_cost[i] = static_cast<float>(by_tree.col(Targets::kCost).mean());
      forecast_.failure[i] = static_cast<float>(by_tree.col(Targets::kFailure).mean());
    }
  }

  // By how much the time of each observation is below the threshold, scaled to a mean of 1 among those below
  // it. All are 0 if none is.
  static Eigen::VectorXd utilities_of(const TrainingData& data) {
    const auto times = data.targets.outputs.col(Targets::kTime);
    Eigen::VectorXd utilities = Eigen::VectorXd::Zero(times.size());
    std::vector<double> ok_times;
    for (Eigen::Index i = 0; i < times.size(); ++i) {
      if (data.observations[static_cast<std::size_t>(i)].is_ok) ok_times.push_back(times[i]);
    }
    if (ok_times.empty()) return utilities;
    const auto share = static_cast<std::size_t>(kBestShare * static_cast<double>(ok_times.size()));
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

  Forest forest_;
  Forecast forecast_;
  std::size_t proposed_ = 0, fresh_ = 1;
};

}  // namespace

std::unique_ptr<Surrogate> make_classifier(const Features& features) {
  return std::make_unique<BestClassifier>(features);
}

}  // namespace gktune
