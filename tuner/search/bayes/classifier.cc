// Likelihood-free Bayesian optimisation (Song et al., 2022): a classifier learns which configurations are
// among the best so far. Each of these counts by how far it is below the threshold; the odds that a candidate
// belongs to them are then proportional to its expected improvement.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tuner/search/bayes/forest_strategies.h"
#include "tuner/search/bayes/forest_surrogate.h"
#include "tuner/search/bayes/model_search.h"

namespace gktune {
namespace {

constexpr double kBestShare = 0.2;  // of the observations that count as the best
constexpr std::size_t kFewestBest = 2;

class BestClassifier : public ForestSurrogate {
 public:
  BestClassifier(const Features& features, const Forest::Settings& settings, double best_share)
      : ForestSurrogate(features, settings), best_share_(best_share) {}
  bool knows_gain() const override { return false; }

 private:
  // A row stands for two: one that is not among the best, with weight 1, and one that is, with the utility as
  // its weight. A proposal in flight is not among the best until it is told.
  Lesson lesson(const TrainingData& data) const override {
    const auto times = data.targets.outputs.col(Targets::kTime);
    std::vector<double> sorted;
    for (std::size_t i = 0; i < data.observations.size(); ++i) {
      if (data.observations[i].is_ok) sorted.push_back(times[static_cast<Eigen::Index>(i)]);
    }
    Lesson lesson{Eigen::VectorXf::Zero(times.size()), Eigen::VectorXf::Ones(times.size()), 0};
    if (sorted.empty()) return lesson;
    const auto share = static_cast<std::size_t>(best_share_ * static_cast<double>(sorted.size()));
    const std::size_t last = std::min(std::max(share, kFewestBest), sorted.size() - 1);
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(last));
    const double threshold = sorted[last];
    Eigen::VectorXd utilities = Eigen::VectorXd::Zero(times.size());
    for (Eigen::Index i = 0; i < times.size(); ++i) {
      if (data.observations[static_cast<std::size_t>(i)].is_ok)
        utilities[i] = std::max(threshold - times[i], 0.0);
    }
    const auto best = (utilities.array() > 0).count();
    if (best == 0) return lesson;
    utilities *= static_cast<double>(best) / utilities.sum();
    lesson.weights = (utilities.array() + 1).cast<float>();
    lesson.outputs = (utilities.array() / (utilities.array() + 1)).cast<float>();
    return lesson;
  }
  Promise promise(const Eigen::Ref<const Eigen::VectorXf>& by_tree, const TrainingData&) const override {
    const float probability = std::min(by_tree.mean(), 0.999F);
    const float odds = probability / (1 - probability);
    return {-odds, odds};
  }

  const double best_share_;
};

std::unique_ptr<Searcher> make_classifier(const SearchTask& task) {
  const Forest::Settings forest{.trees = static_cast<int>(task.option("trees").integer())};
  const double best_share = task.option("best_share").real();
  return std::make_unique<ModelSearch>(
      task, model_settings(task),
      [=](const Features& features) {
        return std::make_unique<BestClassifier>(features, forest, best_share);
      },
      "a classifier predicts which configurations are among the best");
}

}  // namespace

Strategy classifier_strategy() {
  std::vector<StrategyOption> options = forest_options();
  options.push_back(
      {"best_share", "share of the trials that count as the best", kBestShare, {0.1, 0.2, 0.33}, 0, 1});
  return {.name = "classifier",
          .summary = "a classifier predicts which configurations are among the best so far",
          .options = std::move(options),
          .make = make_classifier};
}

}  // namespace gktune
