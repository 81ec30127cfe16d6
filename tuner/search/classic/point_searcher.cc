#include "tuner/search/classic/point_searcher.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gktune {
namespace {

// Steps that take_near walks before it draws.
constexpr int kSteps = 8;

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }

// The same on every machine, unlike the standard library's.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[draw_place(random, i)]);
}

}  // namespace

PointSearcher::PointSearcher(const SearchTask& task) : untried_(task.space), random_(task.seed) {
  for (const Parameter& parameter : space().parameters())
    is_ordered_.push_back(std::ranges::all_of(parameter.values, &Value::is_number));
}

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

PointSearcher::Point PointSearcher::toward(Point from, const Point& target) {
  std::vector<std::uint32_t> order(dimensions());
  std::iota(order.begin(), order.end(), 0u);
  shuffle(order, random_);
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

std::vector<PointSearcher::Point> PointSearcher::neighbours(const Point& point, Neighbourhood neighbourhood) {
  std::vector<Point> found;
  for (std::uint32_t parameter = 0; parameter < point.size(); ++parameter) {
    if (values(parameter) < 2) continue;
    const std::uint32_t own = point[parameter];
    const std::vector<std::uint32_t> ranks = space().choices(point, parameter);
    const auto above = std::ranges::upper_bound(ranks, own), below = std::ranges::lower_bound(ranks, own);
    for (auto rank = ranks.begin(); rank != ranks.end(); ++rank) {
      if (*rank == own) continue;
      const bool is_next = rank == above || rank + 1 == below;
      if (neighbourhood == Neighbourhood::one_step && is_ordered(parameter) && !is_next) continue;
      found.push_back(point);
      found.back()[parameter] = *rank;
    }
  }
  shuffle(found, random_);
  return found;
}

std::optional<PointSearcher::Point> PointSearcher::take_near(const Point& point) {
  Point at = point;
  for (int step = 0; step < kSteps; ++step) {
    if (take(at)) return at;
    std::vector<Point> around = neighbours(at, Neighbourhood::one_parameter);
    for (const Point& each : around) {
      if (take(each)) return each;
    }
    if (around.empty()) break;
    at = std::move(around.front());
  }
  return draw();
}

}  // namespace gktune
