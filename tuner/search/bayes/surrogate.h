#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tuner/search/bayes/observation.h"

namespace gktune {

// A surrogate learns from this.
struct TrainingData {
  const std::vector<Observation>& observations;
  const Targets& targets;        // a row for each observation
  std::size_t fresh = 1;         // results that come before it learns again
  std::vector<Point> in_flight;  // of the searched study, not told yet
};

// The expectation of the candidates, in their order.
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
  // Forgets what it learned before. The candidates are those of all forecasts until the next call.
  virtual void learn(const TrainingData& data, const std::vector<Point>& candidates,
                     std::mt19937_64& random) = 0;
  // True if it has to learn anew before it takes in a further proposal.
  virtual bool is_full() const = 0;
  virtual void propose(const Point& point) = 0;
  // The result of a proposal: an observation of the data that it learned from, which has grown since.
  virtual void tell(const Point& point, std::size_t observation) = 0;
  virtual const Forecast& forecast(const TrainingData& data, std::mt19937_64& random) = 0;
  // True if the improvements are expected times, so that they tell how much is left to gain.
  virtual bool knows_gain() const { return true; }
};

}  // namespace gktune
