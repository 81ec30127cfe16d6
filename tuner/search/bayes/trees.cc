// Bayesian optimisation with an ensemble of trees: how far the trees differ tells how sure they are.
#include <algorithm>
#include <cmath>

#include "tuner/search/bayes/acquisition.h"
#include "tuner/search/bayes/forest_strategies.h"
#include "tuner/search/bayes/forest_surrogate.h"
#include "tuner/search/bayes/model_search.h"

namespace gktune {
namespace {

constexpr double kLeastVariance = 1e-4;

class TreeEnsemble : public ForestSurrogate {
 public:
  using ForestSurrogate::ForestSurrogate;

 private:
  // A proposal in flight counts as middling, so the next one goes elsewhere.
  Lesson lesson(const TrainingData& data) const override {
    const auto times = data.targets.outputs.col(Targets::kTime);
    return {times.cast<float>(), Eigen::VectorXf::Ones(times.size()), 0};
  }
  Promise promise(const Eigen::Ref<const Eigen::VectorXf>& by_tree, const TrainingData& data) const override {
    const float mean = by_tree.mean();
    const float variance = (by_tree.array() - mean).square().mean();
    return {mean, static_cast<float>(expected_improvement(
                      static_cast<double>(mean), std::max(static_cast<double>(variance), kLeastVariance),
                      data.targets.best))};
  }
};

std::unique_ptr<Searcher> make_trees(const SearchTask& task) {
  const Forest::Settings forest{.trees = static_cast<int>(task.option("trees").integer())};
  return std::make_unique<ModelSearch>(
      task, model_settings(task),
      [forest](const Features& features) { return std::make_unique<TreeEnsemble>(features, forest); },
      "an ensemble of trees predicts time, cost and failure");
}

}  // namespace

Strategy trees_strategy() {
  return {.name = "trees",
          .summary = "an ensemble of trees predicts time, cost and failure; the most promising comes next",
          .options = forest_options(),
          .make = make_trees};
}

}  // namespace gktune
