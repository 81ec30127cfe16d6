#pragma once

#include <optional>
#include <vector>

#include "tuner/search/bayes/covariance_fit.h"
#include "tuner/search/bayes/posterior.h"
#include "tuner/search/bayes/surrogate.h"

namespace gktune {

// A Gaussian process. The parameters of its covariance live on from one fit to the next.
class GaussianProcess : public Surrogate {
 public:
  // `fit_steps`: of the covariance's parameters from one call of `learn` to the next.
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
  // The posterior's sites: observations, or what is in flight.
  struct Row {
    std::optional<std::size_t> observation;
    Point point;
  };
  std::vector<Row> rows_;
  Forecast forecast_;
};

}  // namespace gktune
