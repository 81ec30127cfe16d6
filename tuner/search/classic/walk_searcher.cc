#include "tuner/search/classic/walk_searcher.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gktune {

std::optional<WalkSearcher::Point> WalkSearcher::propose() {
  if (earlier_) {
    walks_.push_back(start(earlier_->point, earlier_->objective));
    earlier_.reset();
  }
  for (auto& walk : walks_) {
    if (auto point = walk->propose()) {
      in_flight_[*point] = walk.get();
      return point;
    }
  }
  auto point = draw();
  if (point) in_flight_[*point] = nullptr;
  return point;
}

void WalkSearcher::learn(const Point& point, double objective) {
  if (const auto asked = in_flight_.find(point); asked != in_flight_.end()) {
    Walk* const walk = asked->second;
    in_flight_.erase(asked);
    if (walk != nullptr) {
      walk->learn(point, objective);
    } else if (std::isfinite(objective)) {  // a failure leads nowhere
      walks_.push_back(start(point, objective));
    }
  } else if (std::isfinite(objective) && (!earlier_ || objective < earlier_->objective)) {
    earlier_ = {point, objective};
  }
  // Remove a walk that has ended when none of its points is in flight.
  std::erase_if(walks_, [this](const std::unique_ptr<Walk>& walk) {
    return walk->is_over() &&
           std::ranges::none_of(in_flight_, [&](const auto& each) { return each.second == walk.get(); });
  });
}

}  // namespace gktune
