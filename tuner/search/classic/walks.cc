// Strategies that move from one point to the next.
#include <algorithm>
#include <deque>
#include <iterator>
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
  struct Walk {
    virtual ~Walk() = default;
    // Takes an untried point. Empty if the walk waits for points in flight or has ended.
    virtual std::optional<Point> propose() = 0;
    // Called for each point that this walk proposed.
    virtual void learn(const Evaluated& told) = 0;

    std::size_t in_flight = 0;  // points that it proposed and that are not told yet
    bool is_over = false;       // it proposes no more
  };
  virtual std::unique_ptr<Walk> start(const Evaluated& at) = 0;

  std::optional<Point> propose() final {
    if (earlier_) {
      walks_.push_back(start(*earlier_));
      earlier_.reset();
    }
    for (auto& walk : walks_) {
      if (auto point = walk->propose()) {
        in_flight_[*point] = walk.get();
        ++walk->in_flight;
        return point;
      }
    }
    auto point = draw();
    if (point) in_flight_[*point] = nullptr;
    return point;
  }

  void learn(const Point& point, double objective) final {
    if (const auto asked = in_flight_.find(point); asked != in_flight_.end()) {
      Walk* const walk = asked->second;
      in_flight_.erase(asked);
      if (walk != nullptr) {
        --walk->in_flight;
        walk->learn({point, objective});
      } else if (std::isfinite(objective)) {  // a failure leads nowhere
        walks_.push_back(start({point, objective}));
      }
    } else if (std::isfinite(objective) && (!earlier_ || objective < earlier_->objective)) {
      earlier_ = {point, objective};
    }
    std::erase_if(walks_, [](const auto& walk) { return walk->is_over && walk->in_flight == 0; });
  }

 private:
  std::vector<std::unique_ptr<Walk>> walks_;
  std::map<Point, Walk*> in_flight_;  // null: a random point that a walk will start from
  std::optional<Evaluated> earlier_;  // the best point that was told and not proposed; one walk starts there
};

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
  std::unique_ptr<Walk> start(const Evaluated& at) override { return std::make_unique<Chain>(*this, at); }

 private:
  class Chain : public Walk {
   public:
    Chain(Annealing& search, const Evaluated& at) : search_(search), at_(at), temperature_(search.hot_) {}

    // A frozen chain ends: another one begins elsewhere.
    std::optional<Point> propose() override {
      is_over = temperature_ < search_.cold_;
      return is_over ? std::nullopt : search_.neighbour_of(at_.point);
    }
    void learn(const Evaluated& told) override {
      const double loss = (told.objective - at_.objective) / std::abs(at_.objective);
      if (loss <= 0 || search_.uniform() < std::exp(-loss / temperature_)) at_ = told;
      temperature_ *= search_.cooling_;
    }

   private:
    Annealing& search_;
    Evaluated at_;
    double temperature_;
  };

  std::optional<Point> neighbour_of(const Point& point) {
    auto around = uniform() < 0.5 ? steps(point) : neighbours(point);
    auto taken = take_last(around);
    return taken ? taken : take_near(point);
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
  std::unique_ptr<Walk> start(const Evaluated& at) override { return std::make_unique<Climber>(*this, at); }

 private:
  struct Optimum : Evaluated {
    std::size_t kicks = 0;
  };

  class Climber : public Walk {
   public:
    Climber(LocalSearch& search, const Evaluated& at) : search_(search) { move_to(at); }

    std::optional<Point> propose() override {
      auto next = search_.take_last(around_);
      // Better neighbours may still be in flight.
      if (!next && in_flight > 0) return std::nullopt;
      if (!next) next = kicked_ = search_.kick(at_);
      is_over = !next;
      return next;
    }

    void learn(const Evaluated& told) override {
      const bool is_landing = kicked_ == told.point;
      if (is_landing) kicked_.reset();
      if (told.objective < at_.objective || (is_landing && std::isfinite(told.objective))) move_to(told);
    }

   private:
    void move_to(const Evaluated& next) {
      at_ = next;
      around_ = search_.neighbours_and_steps(at_.point);
    }

    LocalSearch& search_;
    Evaluated at_;
    std::vector<Point> around_;
    std::optional<Point> kicked_;
  };

  // From the best optimum that is not tabu: a few parameters at random have other values.
  std::optional<Point> kick(const Evaluated& optimum) {
    if (std::ranges::find(optima_, optimum.point, &Optimum::point) == optima_.end())
      optima_.push_back({optimum});
    std::ranges::sort(optima_, {}, &Optimum::objective);
    const auto from = std::ranges::find_if(optima_, [this](const Optimum& each) {
      return std::ranges::find(recent_, each.point) == recent_.end();
    });
    if (from == optima_.end()) return std::nullopt;
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

}  // namespace

Strategy annealing_strategy() {
  return {.name = "annealing",
          .summary = "simulated annealing, restarted when it is cold",
          .options = {{"hot", "the relative loss that is accepted at first", 0.5},
                      {"cold", "the relative loss at which a chain ends", 0.002},
                      {"cooling", "of the temperature at each step", 0.95}},
          .make = make_strategy<Annealing>};
}

Strategy local_search_strategy() {
  return {.name = "local-search",
          .summary = "iterated local search: climbs, kicks, and a tabu list of optima",
          .options = {{"kick", "parameters that a kick changes", 3},
                      {"patience", "number of kicks from an optimum before it becomes tabu", 3},
                      {"tabu", "maximum number of tabu optima", 10}},
          .make = make_strategy<LocalSearch>};
}

namespace {

// Proposes random configurations first, then neighbours of the best known ones, the best one first.
// Random proposals in between let it leave a local optimum.
class Climb : public PointSearcher {
 public:
  using PointSearcher::PointSearcher;

 protected:
  std::optional<Point> propose() override {
    const bool may_climb = told_ >= kFirstDraws && ++asked_ % kDrawEvery != 0;
    if (may_climb) {
      if (auto point = step()) return point;
    }
    return default_or_draw();
  }

  void learn(const Point& point, double objective) override {
    ++told_;
    if (!std::isfinite(objective)) return;
    summits_.emplace(objective, Summit{point, false, {}});
    if (summits_.size() > kSummits) summits_.erase(std::prev(summits_.end()));
  }

 private:
  static constexpr std::size_t kFirstDraws = 24;  // before the first step
  static constexpr std::size_t kDrawEvery = 5;    // one proposal in this many is drawn at random
  static constexpr std::size_t kSummits = 8;      // configurations whose neighbours are tried

  // A successful configuration and its neighbours that are still to try.
  struct Summit {
    Point point;
    bool is_surveyed = false;
    std::vector<Point> neighbours;
  };

  std::optional<Point> step() {
    for (auto& [objective, summit] : summits_) {
      if (!std::exchange(summit.is_surveyed, true)) summit.neighbours = neighbours_and_steps(summit.point);
      if (auto point = take_last(summit.neighbours)) return point;
    }
    return std::nullopt;
  }

  std::multimap<double, Summit> summits_;  // the best few, by objective
  std::size_t told_ = 0, asked_ = 0;
};

}  // namespace

Strategy climb_strategy() {
  return {.name = "climb",
          .summary = "random draws, then the neighbours of the best, with draws in between",
          .make = make_strategy<Climb>};
}

}  // namespace gktune
