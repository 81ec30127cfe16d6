// Strategies that learn nothing from results.
#include <algorithm>
#include <numeric>

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

// Points that cover each parameter evenly. A hypercube divides the values of each parameter into as many
// strata as it has points, and has one point in each stratum. Constraints move a point to a valid one nearby.
class LatinHypercube : public PointSearcher {
 public:
  explicit LatinHypercube(const SearchTask& task) : PointSearcher(task), size_(task.count("points", 1)) {}

 protected:
  std::optional<Point> propose() override {
    if (points_.empty()) make_points();
    const Point any_valid = space().ranks_at(space().sample(random())), target = std::move(points_.back());
    points_.pop_back();
    return take_near(toward(any_valid, target));
  }

 private:
  void make_points() {
    points_.assign(size_, Point(dimensions()));
    std::vector<std::size_t> strata(size_);
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    for (std::size_t parameter = 0; parameter < dimensions(); ++parameter) {
      shuffle(random(), strata);
      for (std::size_t i = 0; i < size_; ++i) {
        const double share = (static_cast<double>(strata[i]) + uniform()) / static_cast<double>(size_);
        const auto rank = static_cast<std::uint32_t>(share * static_cast<double>(values(parameter)));
        points_[i][parameter] = std::min(rank, static_cast<std::uint32_t>(values(parameter) - 1));
      }
    }
  }

  std::size_t size_;
  std::vector<Point> points_;  // of the present hypercube, not proposed yet
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

Strategy latin_hypercube_strategy() {
  return {.name = "latin-hypercube",
          .summary = "points that cover the range of each parameter evenly",
          .options = {{"points", "in a hypercube", 64, {16, 32, 64, 128}}},
          .make = make_strategy<LatinHypercube>};
}

}  // namespace gktune
