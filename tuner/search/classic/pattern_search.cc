#include <algorithm>
#include <cmath>

#include "tuner/search/classic/strategies.h"
#include "tuner/search/classic/walk_searcher.h"

namespace gktune {
namespace {

// Pattern search after Hooke and Jeeves: steps up and down in each parameter, a leap in the direction that
// helped, and steps half as long where none helps. Names have no direction: all of them are tried.
class PatternSearch : public WalkSearcher {
 public:
  explicit PatternSearch(const SearchTask& task)
      : WalkSearcher(task), first_step_(task.option("step").real()) {}

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

  // Valid points one step away, in random order.
  std::vector<Point> around(const Point& base, double step) {
    std::vector<Point> found;
    for (const Point& each : neighbours(base, Neighbourhood::one_parameter)) {
      const auto [changed, unused] = std::ranges::mismatch(each, base);
      const auto parameter = static_cast<std::size_t>(changed - each.begin());
      const std::uint32_t length =
          std::max(each[parameter], base[parameter]) - std::min(each[parameter], base[parameter]);
      if (!is_ordered(parameter) || length == ranks_of(step, parameter) ||
          is_next(each, base, parameter, step))
        found.push_back(each);
    }
    return found;
  }

  // If constraints forbid a step of that length, the first valid value beyond it counts instead.
  bool is_next(const Point& point, const Point& base, std::size_t parameter, double step) const {
    const std::uint32_t length = ranks_of(step, parameter);
    Point shorter = point;
    const bool is_up = point[parameter] > base[parameter];
    const std::uint32_t full =
        is_up ? point[parameter] - base[parameter] : base[parameter] - point[parameter];
    if (full < length) return false;
    for (std::uint32_t between = length; between < full; ++between) {
      shorter[parameter] = is_up ? base[parameter] + between : base[parameter] - between;
      if (space().contains(shorter)) return false;
    }
    return true;
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

Strategy pattern_search_strategy() {
  return {
      .name = "pattern-search",
      .summary = "steps in each parameter, halved when none helps; then restarted",
      .options = {{"step", "the first one, as a share of a parameter's values", 0.25, {0.125, 0.25, 0.5}}},
      .make = make_strategy<PatternSearch>};
}

}  // namespace gktune
