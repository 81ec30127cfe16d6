#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tuner/search/bayes/observation.h"

namespace gktune {

// The training data of a surrogate.
struct TrainingData {
  const std::vector<Observation>& observations;
  const Targets& targets;        // a row for each observation
  std::size_t fresh = 1;         // number of results until the next call of learn()
  std::vector<Point> in_flight;  // of the searched study, not told yet
};

// Predictions for the candidates, in their order.
struct Forecast {
  Eigen::VectorXf time;         // time output
  Eigen::VectorXf improvement;  // on the best time output
  Eigen::VectorXf log_cost;
  Eigen::VectorXf failure;  // probability
};

// A model of time, cost and failure.
class Surrogate {
 public:
  virtual ~Surrogate() = default;
  // Discards everything that it learned before. Forecasts are for these candidates until the next call.
  virtual void learn(const TrainingData& data, const std::vector<Point>& candidates,
                     std::mt19937_64& random) = 0;
  // True if it must learn again before the next proposal.
  virtual bool is_full() const = 0;
  virtual void propose(const Point& point) = 0;
  // Reports the result of a proposal: the index of a new observation in the data of learn().
  virtual void tell(const Point& point, std::size_t observation) = 0;
  virtual const Forecast& forecast(const TrainingData& data, std::mt19937_64& random) = 0;
  // True if improvements are in units of time, so that they estimate the remaining gain.
  virtual bool knows_gain() const { return true; }
};

}  // namespace gktune
