#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {
namespace {

// Several techniques take turns. A technique is asked more often while its proposals improve on the best: its
// credit is the area under the curve of its improvements within a window of results, plus a bonus for those
// that were rarely asked. Every technique sees every result.
class Bandit : public Searcher {
 public:
  explicit Bandit(const SearchTask& task)
      : untried_(task.space), window_(task.count("window", 1)), exploration_(task.real("exploration")) {
    for (const char* name :
         {"local-search", "genetic", "pattern-search", "differential-evolution", "annealing"}) {
      SearchTask of_technique{
          .space = task.space, .seed = task.seed * 31 + techniques_.size(), .budget = task.budget};
      techniques_.push_back(*make_searcher(name, std::move(of_technique)));
    }
  }

  std::optional<Config> ask() override {
    if (untried_.empty()) return std::nullopt;
    for (const std::size_t technique : by_credit()) {
      while (auto config = techniques_[technique]->ask()) {
        // Another technique may have it in flight.
        if (!untried_.take(*config)) continue;
        in_flight_[config->json()] = technique;
        return config;
      }
    }
    return std::nullopt;
  }

  void tell(const Trial& trial) override {
    if (!untried_.space().contains(trial.config)) return;
    untried_.take(trial.config);
    for (const auto& technique : techniques_) technique->tell(trial);
    const bool is_better = trial.ok() && (!best_ || trial.objective < *best_);
    if (is_better) best_ = trial.objective;
    const auto asked = in_flight_.find(trial.config.json());
    if (asked == in_flight_.end()) return;
    results_.push_back({asked->second, is_better});
    if (results_.size() > window_) results_.pop_front();
    in_flight_.erase(asked);
  }

 private:
  struct Outcome {
    std::size_t technique;
    bool is_better;
  };

  // The one with the most credit first.
  std::vector<std::size_t> by_credit() const {
    std::vector<double> asked(techniques_.size()), area(techniques_.size());
    for (const Outcome& result : results_) {
      asked[result.technique] += 1;
      if (result.is_better) area[result.technique] += asked[result.technique];
    }
    std::vector<double> waiting(techniques_.size());
    for (const auto& [config, technique] : in_flight_) waiting[technique] += 1;
    std::vector<double> credit(techniques_.size());
    for (std::size_t i = 0; i < credit.size(); ++i) {
      const double count = asked[i] + waiting[i];
      credit[i] =
          count == 0
              ? 1e9
              : 2 * area[i] / (std::max(asked[i], 1.0) * (asked[i] + 1)) +
                    exploration_ * std::sqrt(2 * std::log(1 + static_cast<double>(results_.size())) / count);
    }
    std::vector<std::size_t> order(credit.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t each) { return credit[each]; });
    return order;
  }

  Untried untried_;
  std::size_t window_;
  double exploration_;
  std::vector<std::unique_ptr<Searcher>> techniques_;
  std::map<std::string, std::size_t> in_flight_;  // the technique that proposed a configuration
  std::deque<Outcome> results_;
  std::optional<double> best_;
};

}  // namespace

Strategy bandit_strategy() {
  return {
      .name = "bandit",
      .summary = "several of these take turns; those that find improvements are asked more often",
      .options = {{"window", "results that count", 100, {50, 100, 200}},
                  {"exploration", "the bonus of techniques that were seldom asked", 0.1, {0.05, 0.1, 0.3}}},
      .make = make_strategy<Bandit>};
}

}  // namespace gktune
