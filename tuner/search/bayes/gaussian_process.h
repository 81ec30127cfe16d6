#pragma once

#include <optional>
#include <vector>

#include "tuner/search/bayes/covariance_fit.h"
#include "tuner/search/bayes/posterior.h"
#include "tuner/search/bayes/surrogate.h"

namespace gktune {

// A Gaussian process. Each fit starts from the covariance's parameters of the fit before.
class GaussianProcess : public Surrogate {
 public:
  // Each call of `learn` makes `fit_steps` steps to fit the covariance's parameters.
  GaussianProcess(const Features& features, int fit_steps);
  void learn(const TrainingData& data, const std::vector<Point>& candidates,
             std::mt19937_64& random) override;
  bool is_full() const override { return posterior_.room() == 0; }
  void propose(const Point& point) override;
  void tell(const Point& point, std::size_t observation) override;
  const Forecast& forecast(const TrainingData& data, std::mt19937_64& random) override;

 private:
  Eigen::MatrixXf outputs_of_rows(const Targets& targets) const;

  const int fit_steps_;
  CovarianceFit fit_;
  Posterior posterior_;
  // A site of the posterior: an observation or, without one, a candidate in flight.
  struct Row {
    std::optional<std::size_t> observation;
    Point point;
  };
  std::vector<Row> rows_;
  Forecast forecast_;
};

}  // namespace gktune
