#pragma once

#include <optional>
#include <vector>

#include "tuner/search/bayes/kernel_fit.h"
#include "tuner/search/bayes/posterior.h"
#include "tuner/search/bayes/surrogate.h"

namespace gktune {

// A Gaussian process. The parameters of its kernel live on from one fit to the next.
class GaussianProcess : public Surrogate {
 public:
  // `fit_steps`: of the kernel's parameters from one call of `learn` to the next.
  GaussianProcess(const Features& features, int fit_steps);
  void learn(const Evidence& evidence, const std::vector<Point>& candidates,
             std::mt19937_64& random) override;
  bool is_full() const override { return posterior_.room() == 0; }
  void propose(const Point& point) override;
  void tell(const Point& point, std::size_t observation) override;
  const Forecast& forecast(const Evidence& evidence, std::mt19937_64& random) override;

 private:
  Eigen::MatrixXf outputs_of_rows(const Targets& targets) const;

  const int fit_steps_;
  KernelFit fit_;
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
