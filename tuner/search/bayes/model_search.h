#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tuner/search/bayes/acquisition.h"
#include "tuner/search/bayes/features.h"
#include "tuner/search/bayes/observation.h"
#include "tuner/search/bayes/start.h"
#include "tuner/search/bayes/surrogate.h"
#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

struct ModelSettings {
  // Trials of the searched study before the model's first proposal: `spread_points` if the start proposes
  // small and aligned configurations, else `covering_points`.
  std::size_t spread_points = 5, covering_points = 4;
  std::size_t small_points = 8;  // number of small and aligned trials; the model chooses the last of them
  StartSettings start = {};
  double cost_exponent = kCostExponent;  // weight of a candidate's cost
  std::size_t candidates = 2000;         // maximum for each proposal
};

// Makes the surrogate of a search.
using MakeSurrogate = std::function<std::unique_ptr<Surrogate>(const Features& features)>;

// Searches with a model: a surrogate predicts time, cost and failure of untried candidates. The next proposal
// is the candidate with the highest expected improvement for its cost.
class ModelSearch : public Searcher {
 public:
  // `model` is the surrogate's name in the description.
  ModelSearch(const SearchTask& task, const ModelSettings& settings, const MakeSurrogate& make_surrogate,
              std::string model);
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override;
  std::string description() const override;
  std::optional<double> expected_gain() const override { return expected_gain_; }

 private:
  void learn(const RelatedStudy& study, std::uint16_t number, std::size_t room);
  std::optional<Space::Ranks> fitted_ranks(const Config& config) const;
  bool is_starting() const;
  bool keeps_small() const;
  Space::Ranks choose();
  void refit();
  std::size_t interval() const;
  TrainingData training_data() const;

  const Space& space_;
  const ModelSettings settings_;
  const std::string model_;
  Untried untried_;
  std::mt19937_64 random_;
  Features features_;
  Start start_;
  std::unique_ptr<Surrogate> surrogate_;

  std::vector<Observation> observations_;
  std::size_t related_ = 0, own_ = 0, own_ok_ = 0;
  std::vector<Point> known_;  // proposed or told
  std::set<Space::Ranks> in_flight_;

  std::size_t fitted_at_ = 0;  // number of observations at the last fit
  bool is_fitted_ = false;
  bool keeps_small_ = false;    // the candidates are small and aligned
  bool is_target_due_ = false;  // the targets are out of date
  std::vector<Space::Ranks> candidates_;
  std::vector<bool> is_chosen_;
  Targets targets_;
  std::optional<double> expected_gain_;
};

// The options of all strategies that search by a model, and their values.
std::vector<StrategyOption> model_options(const ModelSettings& standard = {});
ModelSettings model_settings(const SearchTask& task);

}  // namespace gktune
