#include <cmath>

#include "tuner/search/classic/strategies.h"
#include "tuner/search/classic/walk_searcher.h"

namespace gktune {
namespace {

// Simulated annealing. The temperature is a relative loss: a step to a point that is slower by that share is
// taken with a probability of 1/e.
class Annealing : public WalkSearcher {
 public:
  explicit Annealing(const SearchTask& task)
      : WalkSearcher(task),
        hot_(task.option("hot").real()),
        cold_(task.option("cold").real()),
        cooling_(task.option("cooling").real()) {}

 protected:
  std::unique_ptr<Walk> start(const Point& point, double objective) override {
    return std::make_unique<Chain>(*this, point, objective);
  }

 private:
  class Chain : public Walk {
   public:
    Chain(Annealing& search, Point point, double objective)
        : search_(search), at_(std::move(point)), objective_(objective), temperature_(search.hot_) {}

    std::optional<Point> propose() override {
      if (is_over()) return std::nullopt;
      return search_.neighbour_of(at_);
    }
    void learn(const Point& point, double objective) override {
      const double loss = (objective - objective_) / std::abs(objective_);
      if (loss <= 0 || search_.uniform() < std::exp(-loss / temperature_)) {
        at_ = point;
        objective_ = objective;
      }
      temperature_ *= search_.cooling_;
    }
    // Frozen: another chain begins elsewhere.
    bool is_over() const override { return temperature_ < search_.cold_; }

   private:
    Annealing& search_;
    Point at_;
    double objective_;
    double temperature_;
  };

  std::optional<Point> neighbour_of(const Point& point) {
    const auto around =
        neighbours(point, uniform() < 0.5 ? Neighbourhood::one_step : Neighbourhood::one_parameter);
    for (const Point& each : around) {
      if (take(each)) return each;
    }
    return take_near(point);
  }

  double hot_, cold_, cooling_;
};

}  // namespace

Strategy annealing_strategy() {
  return {.name = "annealing",
          .summary = "simulated annealing, restarted when it is cold",
          .options = {{"hot", "the relative loss that is accepted at first", 0.5, {0.2, 0.5, 1.0}},
                      {"cold", "the relative loss at which a chain ends", 0.002, {0.0005, 0.002, 0.01}},
                      {"cooling", "of the temperature at each step", 0.95, {0.9, 0.95, 0.98}}},
          .make = make_strategy<Annealing>};
}

}  // namespace gktune
