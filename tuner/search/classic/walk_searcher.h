#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {

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
  std::optional<Start> earlier_;  // the best point that was told and not proposed; one walk starts there
};

}  // namespace gktune
