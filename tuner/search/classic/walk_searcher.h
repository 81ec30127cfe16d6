#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {

// A strategy that goes from one point to the next. Where a walk has to wait for what it asked for, another
// one begins elsewhere: there are as many walks as it takes to keep the candidates in flight.
class WalkSearcher : public PointSearcher {
 public:
  using PointSearcher::PointSearcher;

 protected:
  class Walk {
   public:
    virtual ~Walk() = default;
    // An untried point, taken; nothing where the walk waits for points in flight or has come to its end.
    virtual std::optional<Point> propose() = 0;
    // A point that this walk proposed.
    virtual void learn(const Point& point, double objective) = 0;
    virtual bool is_over() const = 0;
  };
  // A walk from an evaluated point; `objective` is infinite where it failed.
  virtual std::unique_ptr<Walk> start(const Point& point, double objective) = 0;

  std::optional<Point> propose() final;
  void learn(const Point& point, double objective) final;

 private:
  struct Start {
    Point point;
    double objective;
  };
  std::vector<std::unique_ptr<Walk>> walks_;
  std::map<Point, Walk*> in_flight_;  // nothing: a draw, from where a walk will begin
  std::optional<Start> earlier_;  // the best that was told without being asked for; a walk begins there once
};

}  // namespace gktune
