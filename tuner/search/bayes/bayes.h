#pragma once

#include <optional>
#include <random>
#include <set>
#include <vector>

#include "tuner/search/bayes/acquisition.h"
#include "tuner/search/bayes/features.h"
#include "tuner/search/bayes/kernel_fit.h"
#include "tuner/search/bayes/observation.h"
#include "tuner/search/bayes/posterior.h"
#include "tuner/search/bayes/start.h"
#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

struct BayesSettings {
  std::size_t first_points = 8;  // of the searched study, before the model's first proposal
  StartSettings start = {};
  double cost_exponent = kCostExponent;  // weight of a candidate's cost
  std::size_t candidates = 2000;         // maximum for each proposal
  int fit_steps = 100;                   // of the kernel's parameters from one refit to the next
};

// Bayesian optimisation: a Gaussian process predicts time, cost and failure of what is untried; the candidate
// with the highest expected improvement for its cost comes next.
class Bayes : public Searcher {
 public:
  explicit Bayes(const SearchTask& task, const BayesSettings& settings = {});
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override;
  std::string description() const override;
  std::optional<double> expected_gain() const override;

 private:
  void learn(const RelatedStudy& study, std::uint16_t number, std::size_t room);
  std::optional<Space::Ranks> fitted_ranks(const Config& config) const;
  bool is_starting() const;
  Space::Ranks choose();
  void refit(int proposals);
  // Observations: those with the lowest times, and others at random.
  std::vector<std::size_t> best_and_others(std::size_t best, std::size_t others);
  Eigen::MatrixXf outputs_of_rows() const;

  const Space& space_;
  const BayesSettings settings_;
  Untried untried_;
  std::mt19937_64 random_;
  Features features_;
  Start start_;
  KernelFit fit_;
  Posterior posterior_;

  std::vector<Observation> observations_;
  std::size_t related_ = 0, own_ = 0, own_ok_ = 0;
  std::vector<Point> known_;  // proposed or told
  std::set<Space::Ranks> in_flight_;

  // The posterior's rows: an observation, or a configuration in flight.
  struct Row {
    std::optional<std::size_t> observation;
    Space::Ranks ranks;
  };
  std::vector<Row> rows_;
  std::size_t fitted_at_ = 0;  // number of observations at the last fit
  bool is_fitted_ = false;
  std::vector<Space::Ranks> candidates_;
  std::vector<bool> is_chosen_;
  Targets targets_;
  std::optional<double> expected_gain_;
};

Strategy bayes_strategy();

}  // namespace gktune
