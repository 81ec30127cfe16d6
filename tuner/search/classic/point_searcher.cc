#include "tuner/search/classic/point_searcher.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace gktune {
namespace {

// Steps that take_near walks before it draws.
constexpr int kSteps = 8;

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }

}  // namespace

std::optional<Config> PointSearcher::ask() {
  if (untried_.empty()) return std::nullopt;
  const auto point = propose();
  if (!point) return std::nullopt;
  return space().config_of(*point);
}

void PointSearcher::tell(const Trial& trial) {
  const auto point = space().ranks_of(trial.config);
  if (!point || !space().contains(*point)) return;
  untried_.take(*point);
  learn(*point, trial.ok() ? trial.objective : std::numeric_limits<double>::infinity());
}

std::optional<PointSearcher::Point> PointSearcher::default_or_draw() {
  if (std::exchange(is_default_due_, false)) {
    const auto config = space().default_config();
    const auto point = config ? space().ranks_of(*config) : std::nullopt;
    if (point && take(*point)) return point;
  }
  return draw();
}

PointSearcher::Point PointSearcher::toward(Point from, const Point& target) {
  std::vector<std::uint32_t> order(dimensions());
  std::iota(order.begin(), order.end(), 0u);
  shuffle(random_, order);
  // Two passes: changing one parameter may make a blocked change of another valid.
  for (int pass = 0; pass < 2 && from != target; ++pass) {
    for (const std::uint32_t parameter : order) {
      if (from[parameter] == target[parameter]) continue;
      for (const std::uint32_t rank : space().choices(from, parameter)) {
        if (distance(rank, target[parameter]) < distance(from[parameter], target[parameter]))
          from[parameter] = rank;
      }
    }
  }
  return from;
}

std::optional<PointSearcher::Point> PointSearcher::take_near(const Point& point) {
  Point at = point;
  for (int step = 0; step < kSteps; ++step) {
    if (take(at)) return at;
    std::vector<Point> around = neighbours_of(space(), at, [](std::uint32_t) { return 0u; });
    if (around.empty()) break;
    shuffle(random_, around);
    for (const Point& each : around | std::views::reverse) {
      if (take(each)) return each;
    }
    at = around.front();
  }
  return draw();
}

}  // namespace gktune
