#pragma once

#include "tuner/search/bayes/model_search.h"

namespace gktune {

// Bayesian optimisation with a Gaussian process.
class Bayes : public ModelSearch {
 public:
  static constexpr int kFitSteps = 100;  // steps that fit the covariance's parameters in each refit
  explicit Bayes(const SearchTask& task, const ModelSettings& settings = {}, int fit_steps = kFitSteps);
};

Strategy bayes_strategy();

}  // namespace gktune
