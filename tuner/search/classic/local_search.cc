#include <algorithm>
#include <deque>

#include "tuner/search/classic/strategies.h"
#include "tuner/search/classic/walk_searcher.h"

namespace gktune {
namespace {

// Iterated local search: moves to the first better neighbour until there is none, then jumps away from the
// best optimum. An optimum whose jumps led to nothing better is tabu for a while.
class LocalSearch : public WalkSearcher {
 public:
  explicit LocalSearch(const SearchTask& task)
      : WalkSearcher(task),
        kick_(static_cast<std::size_t>(std::max<std::int64_t>(1, task.option("kick").integer()))),
        patience_(static_cast<std::size_t>(std::max<std::int64_t>(1, task.option("patience").integer()))),
        tabu_(static_cast<std::size_t>(std::max<std::int64_t>(0, task.option("tabu").integer()))) {}

 protected:
  std::unique_ptr<Walk> start(const Point& point, double objective) override {
    return std::make_unique<Climber>(*this, point, objective);
  }

 private:
  struct Optimum {
    Point point;
    double objective;
    std::size_t kicks = 0;
  };

  class Climber : public Walk {
   public:
    Climber(LocalSearch& search, const Point& point, double objective) : search_(search) {
      move_to(point, objective);
    }

    std::optional<Point> propose() override {
      while (!around_.empty()) {
        const Point next = std::move(around_.back());
        around_.pop_back();
        if (search_.take(next)) {
          ++in_flight_;
          return next;
        }
      }
      // Better neighbours may still be in flight.
      if (in_flight_ > 0) return std::nullopt;
      auto kicked = search_.kick(at_, objective_);
      if (kicked) {
        ++in_flight_;
        kicked_ = *kicked;
      } else {
        is_over_ = true;
      }
      return kicked;
    }

    void learn(const Point& point, double objective) override {
      --in_flight_;
      const bool is_landing = kicked_ == point;
      if (is_landing) kicked_.reset();
      if (objective < objective_ || (is_landing && std::isfinite(objective))) move_to(point, objective);
    }

    bool is_over() const override { return is_over_; }

   private:
    // The next values of a parameter before the others.
    void move_to(const Point& point, double objective) {
      at_ = point;
      objective_ = objective;
      around_ = search_.neighbours(point, Neighbourhood::one_parameter);
      const auto steps = search_.neighbours(point, Neighbourhood::one_step);
      around_.insert(around_.end(), steps.begin(), steps.end());  // taken from the end
    }

    LocalSearch& search_;
    Point at_;
    double objective_ = 0;
    std::vector<Point> around_;
    std::optional<Point> kicked_;
    std::size_t in_flight_ = 0;
    bool is_over_ = false;
  };

  // From the best optimum that is not tabu: a few parameters at random have other values.
  std::optional<Point> kick(const Point& optimum, double objective) {
    if (std::ranges::find(optima_, optimum, &Optimum::point) == optima_.end())
      optima_.push_back({optimum, objective});
    std::ranges::sort(optima_, {}, &Optimum::objective);
    Optimum* from = nullptr;
    for (Optimum& each : optima_) {
      if (std::ranges::find(recent_, each.point) != recent_.end()) continue;
      from = &each;
      break;
    }
    if (from == nullptr) return std::nullopt;
    if (++from->kicks % patience_ == 0) {
      recent_.push_back(from->point);
      if (recent_.size() > tabu_) recent_.pop_front();
    }
    Point target = from->point;
    for (std::size_t changed = 0; changed < kick_; ++changed) {
      const std::size_t parameter = place(dimensions());
      target[parameter] = static_cast<std::uint32_t>(place(values(parameter)));
    }
    return take_near(toward(from->point, target));
  }

  std::size_t kick_, patience_, tabu_;
  std::vector<Optimum> optima_;
  std::deque<Point> recent_;  // the tabu optima
};

}  // namespace

Strategy local_search_strategy() {
  return {.name = "local-search",
          .summary = "iterated local search: climbs, kicks, and a tabu list of optima",
          .options = {{"kick", "parameters that a kick changes", 3, {2, 3, 4}},
                      {"patience", "number of kicks from an optimum before it becomes tabu", 3, {2, 3, 6}},
                      {"tabu", "maximum number of tabu optima", 10, {5, 10, 20}}},
          .make = make_strategy<LocalSearch>};
}

}  // namespace gktune
