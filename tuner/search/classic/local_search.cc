#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {
namespace {

constexpr std::size_t kKicked = 3;     // parameters that a kick changes
constexpr std::size_t kMostKicks = 3;  // kicks from an optimum before it becomes tabu
constexpr std::size_t kTabu = 10;      // optima that are tabu at most

// Iterated local search: moves to the first better neighbour until there is none, then jumps away from the
// best optimum. An optimum whose jumps led to nothing better is tabu for a while. While a climber waits for
// results, another one begins elsewhere, so that the requested number of candidates is in flight.
class LocalSearch : public PointSearcher {
 public:
  using PointSearcher::PointSearcher;

 protected:
  std::optional<Point> propose() override {
    if (earlier_) {
      climbers_.push_back(std::make_unique<Climber>(*this, *earlier_));
      earlier_.reset();
    }
    for (auto& climber : climbers_) {
      if (auto point = climber->propose()) {
        in_flight_[*point] = climber.get();
        return point;
      }
    }
    auto point = draw();
    if (point) in_flight_[*point] = nullptr;
    return point;
  }

  void learn(const Point& point, double objective) override {
    if (const auto asked = in_flight_.find(point); asked != in_flight_.end()) {
      Climber* const climber = asked->second;
      in_flight_.erase(asked);
      if (climber != nullptr) {
        climber->learn({point, objective});
      } else if (std::isfinite(objective)) {  // a failure leads nowhere
        climbers_.push_back(std::make_unique<Climber>(*this, Evaluated{point, objective}));
      }
    } else if (std::isfinite(objective) && (!earlier_ || objective < earlier_->objective)) {
      earlier_ = {point, objective};
    }
    std::erase_if(climbers_, [](const auto& climber) { return climber->has_ended(); });
  }

 private:
  struct Optimum : Evaluated {
    std::size_t kicks = 0;
  };

  class Climber {
   public:
    Climber(LocalSearch& search, const Evaluated& at) : search_(search) { move_to(at); }

    bool has_ended() const { return is_over_ && in_flight_ == 0; }

    // Takes an untried point. Empty if the climber waits for points in flight or has ended.
    std::optional<Point> propose() {
      auto next = search_.take_last(around_);
      // Better neighbours may still be in flight.
      if (!next && in_flight_ > 0) return std::nullopt;
      if (!next) next = kicked_ = search_.kick(at_);
      is_over_ = !next;
      if (next) ++in_flight_;
      return next;
    }

    // Called for each point that it proposed.
    void learn(const Evaluated& told) {
      --in_flight_;
      const bool is_landing = kicked_ == told.point;
      if (is_landing) kicked_.reset();
      if (told.objective < at_.objective || (is_landing && std::isfinite(told.objective))) move_to(told);
    }

   private:
    void move_to(const Evaluated& next) {
      at_ = next;
      around_ = search_.neighbours_and_steps(at_.point);
    }

    LocalSearch& search_;
    Evaluated at_;
    std::vector<Point> around_;
    std::size_t in_flight_ = 0;  // points that it proposed and that are not told yet
    bool is_over_ = false;       // it proposes no more
    std::optional<Point> kicked_;
  };

  // From the best optimum that is not tabu: a few parameters at random have other values.
  std::optional<Point> kick(const Evaluated& optimum) {
    if (std::ranges::find(optima_, optimum.point, &Optimum::point) == optima_.end())
      optima_.push_back({optimum});
    std::ranges::sort(optima_, {}, &Optimum::objective);
    const auto from = std::ranges::find_if(optima_, [this](const Optimum& each) {
      return std::ranges::find(recent_, each.point) == recent_.end();
    });
    if (from == optima_.end()) return std::nullopt;
    if (++from->kicks % kMostKicks == 0) {
      recent_.push_back(from->point);
      if (recent_.size() > kTabu) recent_.pop_front();
    }
    Point target = from->point;
    for (std::size_t changed = 0; changed < kKicked; ++changed) {
      const std::size_t parameter = place(dimensions());
      target[parameter] = rank(parameter);
    }
    return take_near(toward(from->point, target));
  }

  std::vector<std::unique_ptr<Climber>> climbers_;
  std::map<Point, Climber*> in_flight_;  // null: a random point that a climber will start from
  std::optional<Evaluated>
      earlier_;  // the best point that was told and not proposed; one climber starts there
  std::vector<Optimum> optima_;
  std::deque<Point> recent_;  // the tabu optima
};

}  // namespace

Strategy local_search_strategy() {
  return {.name = "local-search",
          .summary = "iterated local search: climbs, kicks, and a tabu list of optima",
          .make = make_strategy<LocalSearch>};
}

}  // namespace gktune
