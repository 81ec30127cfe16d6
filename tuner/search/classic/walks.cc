// Strategies that move from one point to the next.
#include <algorithm>
#include <deque>
#include <memory>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {
namespace {

// A strategy that moves from one point to the next. While a walk waits for a result, another walk begins
// elsewhere, so that the requested number of candidates is in flight.
class WalkSearcher : public PointSearcher {
 public:
  using PointSearcher::PointSearcher;

 protected:
  class Walk {
   public:
    virtual ~Walk() = default;
    // Takes an untried point. Nothing if the walk waits for points in flight or has ended.
    virtual std::optional<Point> propose() = 0;
    // Called for each point that this walk proposed.
    virtual void learn(const Point& point, double objective) = 0;
    virtual bool is_over() const = 0;
  };
  // Starts a walk from an evaluated point. `objective` is infinite if the point failed.
  virtual std::unique_ptr<Walk> start(const Point& point, double objective) = 0;

  std::optional<Point> propose() final;
  void learn(const Point& point, double objective) final;

 private:
  struct Start {
    Point point;
    double objective;
  };
  std::vector<std::unique_ptr<Walk>> walks_;
  std::map<Point, Walk*> in_flight_;  // null: a random point that a walk will start from
  std::optional<Start> earlier_;      // the best point that was told and not proposed; one walk starts there
};

std::optional<WalkSearcher::Point> WalkSearcher::propose() {
  if (earlier_) {
    walks_.push_back(start(earlier_->point, earlier_->objective));
    earlier_.reset();
  }
  for (auto& walk : walks_) {
    if (auto point = walk->propose()) {
      in_flight_[*point] = walk.get();
      return point;
    }
  }
  auto point = draw();
  if (point) in_flight_[*point] = nullptr;
  return point;
}

void WalkSearcher::learn(const Point& point, double objective) {
  if (const auto asked = in_flight_.find(point); asked != in_flight_.end()) {
    Walk* const walk = asked->second;
    in_flight_.erase(asked);
    if (walk != nullptr) {
      walk->learn(point, objective);
    } else if (std::isfinite(objective)) {  // a failure leads nowhere
      walks_.push_back(start(point, objective));
    }
  } else if (std::isfinite(objective) && (!earlier_ || objective < earlier_->objective)) {
    earlier_ = {point, objective};
  }
  // Remove a walk that has ended when none of its points is in flight.
  std::erase_if(walks_, [this](const std::unique_ptr<Walk>& walk) {
    return walk->is_over() &&
           std::ranges::none_of(in_flight_, [&](const auto& each) { return each.second == walk.get(); });
  });
}

// Simulated annealing. The temperature is a relative loss: a step to a point that is slower by that share is
// taken with a probability of 1/e.
class Annealing : public WalkSearcher {
 public:
  explicit Annealing(const SearchTask& task)
      : WalkSearcher(task),
        hot_(task.real("hot")),
        cold_(task.real("cold")),
        cooling_(task.real("cooling")) {}

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
    const auto around = uniform() < 0.5 ? steps(point) : neighbours(point);
    for (const Point& each : around) {
      if (take(each)) return each;
    }
    return take_near(point);
  }

  double hot_, cold_, cooling_;
};

// Iterated local search: moves to the first better neighbour until there is none, then jumps away from the
// best optimum. An optimum whose jumps led to nothing better is tabu for a while.
class LocalSearch : public WalkSearcher {
 public:
  explicit LocalSearch(const SearchTask& task)
      : WalkSearcher(task),
        kick_(task.count("kick", 1)),
        patience_(task.count("patience", 1)),
        tabu_(task.count("tabu")) {}

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
    void move_to(const Point& point, double objective) {
      at_ = point;
      objective_ = objective;
      around_ = search_.neighbours_and_steps(point);
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
      target[parameter] = rank(parameter);
    }
    return take_near(toward(from->point, target));
  }

  std::size_t kick_, patience_, tabu_;
  std::vector<Optimum> optima_;
  std::deque<Point> recent_;  // the tabu optima
};

// Pattern search after Hooke and Jeeves: steps up and down in each parameter, a leap in the direction that
// helped, and steps half as long where none helps. Names have no direction: all of them are tried.
class PatternSearch : public WalkSearcher {
 public:
  explicit PatternSearch(const SearchTask& task) : WalkSearcher(task), first_step_(task.real("step")) {}

 protected:
  std::unique_ptr<Walk> start(const Point& point, double objective) override {
    return std::make_unique<Mesh>(*this, point, objective);
  }

 private:
  class Mesh : public Walk {
   public:
    Mesh(PatternSearch& search, const Point& point, double objective)
        : search_(search), base_(point), objective_(objective), step_(search.first_step_) {
      poll_ = search_.around(base_, step_);
    }

    std::optional<Point> propose() override {
      while (!is_over_) {
        while (!poll_.empty()) {
          const Point next = std::move(poll_.back());
          poll_.pop_back();
          if (search_.take(next)) {
            ++in_flight_;
            return next;
          }
        }
        if (in_flight_ > 0) return std::nullopt;
        // Every step is one rank long by now: this is an optimum.
        if (is_finest_) {
          is_over_ = true;
          break;
        }
        step_ /= 2;
        is_finest_ = search_.is_finest(step_);
        poll_ = search_.around(base_, step_);
      }
      return std::nullopt;
    }

    void learn(const Point& point, double objective) override {
      --in_flight_;
      if (!(objective < objective_)) return;
      const Point before = base_;
      base_ = point;
      objective_ = objective;
      poll_ = search_.around(base_, step_);
      poll_.push_back(search_.beyond(before, base_));  // taken from the end: first
    }

    bool is_over() const override { return is_over_; }

   private:
    PatternSearch& search_;
    Point base_;
    double objective_;
    double step_;  // as a share of the number of values
    std::vector<Point> poll_;
    std::size_t in_flight_ = 0;
    bool is_finest_ = false;
    bool is_over_ = false;
  };

  std::uint32_t ranks_of(double step, std::size_t parameter) const {
    return std::max<std::uint32_t>(
        1, static_cast<std::uint32_t>(std::lround(step * static_cast<double>(values(parameter)))));
  }

  bool is_finest(double step) const {
    for (std::size_t i = 0; i < dimensions(); ++i) {
      if (is_ordered(i) && ranks_of(step, i) > 1) return false;
    }
    return true;
  }

  // Valid points one step away, in random order. If constraints forbid a step of that length, the first valid
  // value beyond it counts instead.
  std::vector<Point> around(const Point& base, double step) {
    std::vector<Point> found;
    for (std::uint32_t parameter = 0; parameter < base.size(); ++parameter) {
      const std::uint32_t own = base[parameter], length = ranks_of(step, parameter);
      const std::vector<std::uint32_t> ranks = space().choices(base, parameter);
      const auto up = std::ranges::lower_bound(ranks, own + length);
      const auto down = std::ranges::find_if(ranks.rbegin(), ranks.rend(),
                                             [&](std::uint32_t each) { return each + length <= own; });
      for (auto rank = ranks.begin(); rank != ranks.end(); ++rank) {
        const bool is_step = rank == up || (down != ranks.rend() && *rank == *down);
        if (*rank == own || (is_ordered(parameter) && !is_step)) continue;
        found.push_back(base);
        found.back()[parameter] = *rank;
      }
    }
    shuffle(random(), found);
    return found;
  }

  // Repeats the step that improved the result.
  Point beyond(const Point& before, const Point& after) {
    Point target = after;
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (!is_ordered(i)) continue;
      const auto leap = 2 * static_cast<std::int64_t>(after[i]) - static_cast<std::int64_t>(before[i]);
      target[i] = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(leap, 0, static_cast<std::int64_t>(values(i)) - 1));
    }
    return toward(after, target);
  }

  double first_step_;
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

Strategy local_search_strategy() {
  return {.name = "local-search",
          .summary = "iterated local search: climbs, kicks, and a tabu list of optima",
          .options = {{"kick", "parameters that a kick changes", 3, {2, 3, 4}},
                      {"patience", "number of kicks from an optimum before it becomes tabu", 3, {2, 3, 6}},
                      {"tabu", "maximum number of tabu optima", 10, {5, 10, 20}}},
          .make = make_strategy<LocalSearch>};
}

Strategy pattern_search_strategy() {
  return {
      .name = "pattern-search",
      .summary = "steps in each parameter, halved when none helps; then restarted",
      .options = {{"step", "the first one, as a share of a parameter's values", 0.25, {0.125, 0.25, 0.5}}},
      .make = make_strategy<PatternSearch>};
}

}  // namespace gktune
