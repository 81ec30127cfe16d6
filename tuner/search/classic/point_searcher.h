#pragma once

#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "tuner/analysis/draws.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Base of the strategies without a model. A point is a configuration as the ranks of its values; a failure
// has an objective of infinity.
class PointSearcher : public Searcher {
 public:
  using Point = Space::Ranks;

  explicit PointSearcher(const SearchTask& task) : untried_(task.space), random_(task.seed) {}
  std::optional<Config> ask() final;
  void tell(const Trial& trial) final;
  void expect(const Config& config) final { untried_.take(config); }

 protected:
  struct Evaluated {
    Point point;
    double objective = std::numeric_limits<double>::infinity();
  };

  // Chooses and takes an untried point. Empty if none is left.
  virtual std::optional<Point> propose() = 0;
  // Called for each told point, proposed or not.
  virtual void learn(const Point& /*point*/, double /*objective*/) {}

  const Space& space() const { return untried_.space(); }
  std::size_t dimensions() const { return space().parameters().size(); }
  std::size_t values(std::size_t parameter) const { return space().parameters()[parameter].values.size(); }
  std::mt19937_64& random() { return random_; }
  double uniform() { return draw_uniform(random_); }
  std::size_t place(std::size_t count) { return draw_place(random_, count); }
  std::uint32_t rank(std::size_t parameter) { return static_cast<std::uint32_t>(place(values(parameter))); }

  bool take(const Point& point) { return untried_.take(point); }
  std::optional<Point> draw() { return untried_.draw(random_); }
  // The first call takes the default configuration, each later one draws.
  std::optional<Point> default_or_draw();
  // Moves a valid point toward the target: gives each parameter in turn the valid value nearest to the
  // target's.
  Point toward(Point from, const Point& target);
  // Takes the point, or an untried one within a few steps, or any untried one. Requires a valid point.
  std::optional<Point> take_near(const Point& point);

 private:
  Untried untried_;
  std::mt19937_64 random_;
  bool is_default_due_ = true;
};

}  // namespace gktune
