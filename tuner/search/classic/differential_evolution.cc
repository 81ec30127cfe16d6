#include "tuner/search/classic/population.h"
#include "tuner/search/classic/strategies.h"

namespace gktune {
namespace {

// Differential evolution on ranks: a member is challenged by a point that the best and the difference of two
// others make, and gives way to it where that is better.
class DifferentialEvolution : public PointSearcher {
 public:
  explicit DifferentialEvolution(const SearchTask& task)
      : PointSearcher(task),
        size_(population_size(task)),
        scale_(task.option("scale").real()),
        crossover_(task.option("crossover").real()) {}

 protected:
  std::optional<Point> propose() override {
    if (drawn_ < size_ || members_.size() < 4) {
      ++drawn_;
      return draw();
    }
    const std::size_t target = next_++ % members_.size();
    auto point = take_near(toward(members_[target].point, challenger(members_[target].point)));
    if (point) challenged_[*point] = target;
    return point;
  }

  void learn(const Point& point, double objective) override {
    const auto challenge = challenged_.find(point);
    if (challenge == challenged_.end()) {
      if (members_.size() < size_ && std::isfinite(objective)) members_.push_back({point, objective});
      return;
    }
    Individual& target = members_[challenge->second];
    if (objective < target.objective) target = {point, objective};
    challenged_.erase(challenge);
  }

 private:
  Point challenger(const Point& target) {
    const Point& best = std::ranges::min_element(members_, {}, &Individual::objective)->point;
    const Point &a = members_[place(members_.size())].point, &b = members_[place(members_.size())].point,
                &c = members_[place(members_.size())].point;
    Point made = target;
    const std::size_t certain = place(dimensions());  // one parameter changes at least
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i != certain && uniform() >= crossover_) continue;
      if (!is_ordered(i)) {  // names have no difference
        made[i] = a[i] == b[i] ? c[i] : a[i];
        continue;
      }
      const double base = uniform() < 0.5 ? best[i] : c[i];
      const double sum = base + scale_ * (static_cast<double>(a[i]) - static_cast<double>(b[i]));
      made[i] = static_cast<std::uint32_t>(
          std::clamp(std::floor(sum + uniform()), 0.0, static_cast<double>(values(i) - 1)));
    }
    return made;
  }

  std::size_t size_;
  double scale_, crossover_;
  std::vector<Individual> members_;
  std::map<Point, std::size_t> challenged_;  // the member that a point in flight challenges
  std::size_t drawn_ = 0, next_ = 0;
};

}  // namespace

Strategy differential_evolution_strategy() {
  return {
      .name = "differential-evolution",
      .summary = "differential evolution: members move by the differences of others",
      .options = {{"population", "members", 20, {10, 20, 40}},
                  {"scale", "of a difference", 0.7, {0.4, 0.7, 1.0}},
                  {"crossover", "the share of parameters that a challenger changes", 0.5, {0.3, 0.5, 0.9}}},
      .make = make_strategy<DifferentialEvolution>};
}

}  // namespace gktune
