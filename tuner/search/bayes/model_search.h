#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tuner/search/bayes/features.h"
#include "tuner/search/bayes/turns.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Proposes configurations until a model knows enough. If several parameters can be aligned well or badly, it
// proposes well aligned and small configurations that are far from each other: they compile quickly, rarely
// fail and are rarely slow. In other spaces size predicts little, and points far from each other tend to be
// slow: there it proposes the configuration that brings most of the space near to a known one.
class Start {
 public:
  Start(const Features& features, Untried& untried, std::mt19937_64& random);
  // Requires a non-empty untried set. `known` grows from call to call.
  Space::Ranks propose(std::span<const Point> known, std::mt19937_64& random);
  // True if it proposes small, well aligned configurations.
  bool is_small() const { return is_small_; }
  // The configurations that it may still propose, or a sample of them.
  std::vector<Space::Ranks> untried() const;

 private:
  void keep_small_and_aligned();
  void note_known(std::span<const Point> known);
  double distance(const Point& a, const Point& b) const;
  double distance_from_middle(const Point& point) const;
  double distance_from_survey(const Point& point) const;

  const Features& features_;
  Untried& untried_;
  std::vector<Space::Ranks> pool_;
  bool is_small_ = false;
  std::vector<double> middle_;   // the mean position of the pool
  std::vector<Point> survey_;    // a sample of the pool
  std::vector<double> nearest_;  // the distance of each in the survey from the nearest known point
  std::size_t noted_ = 0;        // number of known points that `nearest_` includes
};

// At most `limit` different untried configurations for a model to choose from: all of them if the limit
// allows it, else neighbours of the best known ones, neighbours of these neighbours, and random others.
std::vector<Space::Ranks> candidates(Untried& untried, std::span<const Space::Ranks> best_first,
                                     std::size_t limit, std::mt19937_64& random);

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
};

// The expected improvement over `best` if the value has a normal distribution with this mean and variance.
double expected_improvement(double mean, double variance, double best);

// The value of trying a candidate: its expected improvement, reduced for a high predicted cost and a
// high probability of failure.
double worth_of(double improvement, double log_cost, double failure);

std::unique_ptr<Surrogate> make_gaussian_process(const Features& features);
// Classifies candidates as among the best or not. Its improvements are not in units of time.
std::unique_ptr<Surrogate> make_classifier(const Features& features);

// Searches with a model: a Gaussian process predicts time, cost and failure of untried candidates. The next
// proposal is the candidate with the highest expected improvement for its cost. While nothing better is
// found, a classifier and the neighbours of the best take turns with the process.
class ModelSearch : public Searcher {
 public:
  explicit ModelSearch(const SearchTask& task);
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override;
  void expect(const Config& config) override;
  std::string description() const override;
  std::optional<double> expected_gain() const override { return expected_gain_; }

 private:
  void learn(const RelatedStudy& study, std::uint16_t number, std::size_t room);
  std::optional<Space::Ranks> fitted_ranks(const Config& config) const;
  void await(const Space::Ranks& ranks, Proposer proposer);
  bool is_starting() const;
  bool keeps_small() const;
  Space::Ranks choose(Proposer proposer);
  void refit();
  const Forecast& forecast_of(Proposer proposer);
  std::vector<bool> open_candidates(Proposer proposer) const;
  std::vector<Surrogate*> fitted() const;
  std::size_t interval() const;
  TrainingData training_data() const;

  const Space& space_;
  Untried untried_;
  std::mt19937_64 random_;
  Features features_;
  Start start_;
  const std::size_t first_points_;  // trials of the searched study before the model's first proposal
  std::unique_ptr<Surrogate> process_, classifier_;
  Turns turns_;

  std::vector<Observation> observations_;
  std::size_t related_ = 0, own_ = 0, own_ok_ = 0;
  std::vector<Point> known_;  // proposed or told
  std::map<Space::Ranks, Proposer> in_flight_;

  std::size_t fitted_at_ = 0;  // number of observations at the last fit
  bool is_fitted_ = false;     // the process knows the candidates
  bool is_classifier_fitted_ = false;  // the classifier does
  bool keeps_small_ = false;    // the candidates are small and aligned
  bool is_target_due_ = false;  // the targets are out of date
  std::vector<Space::Ranks> best_first_;  // some of the best observations
  std::vector<Space::Ranks> candidates_;
  std::vector<Point> candidate_points_;
  std::vector<bool> is_chosen_;
  Targets targets_;
  std::optional<double> expected_gain_;
};

}  // namespace gktune
