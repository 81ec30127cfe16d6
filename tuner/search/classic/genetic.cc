#include <algorithm>
#include <cmath>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {
namespace {

// A steady-state genetic algorithm: each proposal is a child of two parents; each result enters the
// population, and the worst member leaves it.
class Genetic : public PointSearcher {
 public:
  explicit Genetic(const SearchTask& task)
      : PointSearcher(task),
        size_(task.count("population", 2)),
        mutations_(task.real("mutations")),
        tournament_(task.count("tournament", 1)) {}

 protected:
  std::optional<Point> propose() override {
    if (drawn_ < size_ || population_.size() < 2) {
      ++drawn_;
      return draw();
    }
    const Evaluated &mother = parent(), &father = parent();
    Point child = mother.point;
    for (std::size_t i = 0; i < child.size(); ++i) {
      if (uniform() < 0.5) child[i] = father.point[i];
      if (values(i) > 1 && uniform() * static_cast<double>(dimensions()) < mutations_) child[i] = rank(i);
    }
    return take_near(toward(mother.point, child));
  }

  void learn(const Point& point, double objective) override {
    if (std::isfinite(objective)) population_.push_back({point, objective});
    if (population_.size() <= size_) return;
    population_.erase(std::ranges::max_element(population_, {}, &Evaluated::objective));
  }

 private:
  // The best of a few at random.
  const Evaluated& parent() {
    const Evaluated* best = &population_[place(population_.size())];
    for (std::size_t i = 1; i < tournament_; ++i) {
      const Evaluated& other = population_[place(population_.size())];
      if (other.objective < best->objective) best = &other;
    }
    return *best;
  }

  std::size_t size_;
  double mutations_;
  std::size_t tournament_;
  std::vector<Evaluated> population_;
  std::size_t drawn_ = 0;
};

}  // namespace

Strategy genetic_strategy() {
  return {.name = "genetic",
          .summary = "a genetic algorithm: children of the best, crossed and mutated",
          .options = {{"population", "members", 20},
                      {"mutations", "parameters that a child changes on average", 1.0},
                      {"tournament", "members of a tournament; the best becomes a parent", 3}},
          .make = make_strategy<Genetic>};
}

}  // namespace gktune
