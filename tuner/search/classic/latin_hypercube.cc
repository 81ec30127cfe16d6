#include <algorithm>
#include <numeric>

#include "tuner/search/classic/point_searcher.h"
#include "tuner/search/classic/strategies.h"

namespace gktune {
namespace {

// Points that cover each parameter evenly: as many strata as points, each stratum of each parameter once. One
// hypercube after the other. Constraints move a point to a valid one nearby.
class LatinHypercube : public PointSearcher {
 public:
  explicit LatinHypercube(const SearchTask& task)
      : PointSearcher(task),
        size_(static_cast<std::size_t>(std::max<std::int64_t>(1, task.option("points").integer()))) {}

 protected:
  std::optional<Point> propose() override {
    if (points_.empty()) make_points();
    const auto from = draw_base();
    if (!from) return std::nullopt;
    const Point target = std::move(points_.back());
    points_.pop_back();
    return take_near(toward(*from, target));
  }
  void learn(const Point&, double) override {}

 private:
  // Any valid point.
  std::optional<Point> draw_base() { return space().ranks_at(space().sample(random())); }

  void make_points() {
    points_.assign(size_, Point(dimensions()));
    std::vector<std::size_t> strata(size_);
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    for (std::size_t parameter = 0; parameter < dimensions(); ++parameter) {
      for (std::size_t i = size_; i > 1; --i) std::swap(strata[i - 1], strata[place(i)]);
      for (std::size_t i = 0; i < size_; ++i) {
        const double share = (static_cast<double>(strata[i]) + uniform()) / static_cast<double>(size_);
        const auto rank = static_cast<std::uint32_t>(share * static_cast<double>(values(parameter)));
        points_[i][parameter] = std::min(rank, static_cast<std::uint32_t>(values(parameter) - 1));
      }
    }
  }

  std::size_t size_;
  std::vector<Point> points_;  // of the hypercube that is left
};

}  // namespace

Strategy latin_hypercube_strategy() {
  return {.name = "latin-hypercube",
          .summary = "points that cover the range of each parameter evenly",
          .options = {{"points", "in a hypercube", 64, {16, 32, 64, 128}}},
          .make = make_strategy<LatinHypercube>};
}

}  // namespace gktune
