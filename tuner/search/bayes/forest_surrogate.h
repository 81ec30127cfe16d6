#pragma once

#include <vector>

#include "tuner/search/bayes/forest.h"
#include "tuner/search/bayes/model_search.h"
#include "tuner/search/bayes/surrogate.h"
#include "tuner/search/strategy.h"

namespace gktune {

// A surrogate that grows a forest over all observations. Each call of `learn` adds the
// candidates in flight to them.
class ForestSurrogate : public Surrogate {
 public:
  ForestSurrogate(const Features& features, const Forest::Settings& settings) : forest_(features, settings) {}
  void learn(const TrainingData& data, const std::vector<Point>& candidates,
             std::mt19937_64& random) override;
  bool is_full() const override { return proposed_ > fresh_; }
  void propose(const Point&) override { ++proposed_; }
  void tell(const Point&, std::size_t) override {}
  const Forecast& forecast(const TrainingData&, std::mt19937_64&) override { return forecast_; }

 protected:
  // The training outputs of the trees: one for each observation, with its weight.
  struct Lesson {
    Eigen::VectorXf outputs, weights;
    float in_flight = 0;  // the output assumed for candidates in flight
  };
  virtual Lesson lesson(const TrainingData& data) const = 0;
  // A candidate's time output and improvement, from the prediction of each tree.
  struct Promise {
    float time = 0, improvement = 0;
  };
  virtual Promise promise(const Eigen::Ref<const Eigen::VectorXf>& by_tree,
                          const TrainingData& data) const = 0;

 private:
  Forest forest_;
  Forecast forecast_;
  std::size_t proposed_ = 0, fresh_ = 1;
};

// The options of all strategies that search by a forest.
std::vector<StrategyOption> forest_options();

}  // namespace gktune
