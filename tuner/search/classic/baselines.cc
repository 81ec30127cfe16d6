// Strategies that learn nothing from results.

#include "tuner/search/classic/point_searcher.h"

namespace gktune {
namespace {

// The default configuration, then uniform draws without replacement until the space is used up.
class Random : public PointSearcher {
 public:
  using PointSearcher::PointSearcher;

 protected:
  std::optional<Point> propose() override { return default_or_draw(); }
};

Count greatest_common_divisor(Count a, Count b) {
  while (b != 0) a = std::exchange(b, a - a / b * b);
  return a;
}

// Tries every configuration. Each step jumps far in the order of the space, so that good and bad regions
// alternate and a good configuration is found early. Much slower configurations are then dropped after one
// execution.
class Exhaustive : public PointSearcher {
 public:
  explicit Exhaustive(const SearchTask& task) : PointSearcher(task), step_(step_through(task.space.size())) {}

 protected:
  std::optional<Point> propose() override {
    while (asked_ < space().size()) {
      const Point point = space().ranks_at(next_);
      ++asked_;
      next_ += step_;
      while (next_ >= space().size()) next_ -= space().size();
      if (take(point)) return point;
    }
    return std::nullopt;
  }

 private:
  // Any number of multiples of the golden section of the size is spread evenly over it.
  static Count step_through(const Count& size) {
    constexpr int kParts = 100'000'000, kGolden = 61'803'399;
    const Count whole = size / kParts, rest = size - whole * kParts;
    Count step = whole * kGolden + rest * kGolden / kParts + 1;
    while (greatest_common_divisor(size, step) > 1) ++step;
    return step;
  }

  Count step_;  // coprime to the size of the space, so that every index is visited
  Count next_ = 0, asked_ = 0;
};

}  // namespace

Strategy random_strategy() {
  return {.name = "random",
          .summary = "the default configuration, then uniform draws without repetition",
          .make = make_strategy<Random>};
}

Strategy exhaustive_strategy() {
  return {.name = "exhaustive",
          .summary = "every configuration, from all regions of the space in turn",
          .make = make_strategy<Exhaustive>};
}

}  // namespace gktune
