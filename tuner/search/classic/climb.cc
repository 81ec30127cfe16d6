#include <iterator>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {
namespace {

// Proposes random configurations first, then neighbours of the best known ones, those of the best first.
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
