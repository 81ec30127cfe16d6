// Strategies that keep a population of good points.
#include <algorithm>

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

// Differential evolution on ranks. The best member and the difference of two others make a challenger of each
// member in turn. The challenger replaces the member if it is better.
class DifferentialEvolution : public PointSearcher {
 public:
  explicit DifferentialEvolution(const SearchTask& task)
      : PointSearcher(task),
        size_(task.count("population", 2)),
        scale_(task.real("scale")),
        crossover_(task.real("crossover")) {}

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
    Evaluated& target = members_[challenge->second];
    if (objective < target.objective) target = {point, objective};
    challenged_.erase(challenge);
  }

 private:
  Point challenger(const Point& target) {
    const Point& best = std::ranges::min_element(members_, {}, &Evaluated::objective)->point;
    const Point &a = members_[place(members_.size())].point, &b = members_[place(members_.size())].point,
                &c = members_[place(members_.size())].point;
    Point made = target;
    const std::size_t certain = place(dimensions());  // at least this parameter changes
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i != certain && uniform() >= crossover_) continue;
      if (!is_ordered(i)) {  // the difference of two names means nothing
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
  std::vector<Evaluated> members_;
  std::map<Point, std::size_t> challenged_;  // the member that a point in flight challenges
  std::size_t drawn_ = 0, next_ = 0;
};

// Particle swarm optimisation on ranks: particles keep some of their velocity and are drawn to the best point
// of their own and of the swarm.
class ParticleSwarm : public PointSearcher {
 public:
  explicit ParticleSwarm(const SearchTask& task)
      : PointSearcher(task),
        particles_(task.count("population", 2)),
        inertia_(task.real("inertia")),
        own_pull_(task.real("own_pull")),
        swarm_pull_(task.real("swarm_pull")) {}

 protected:
  std::optional<Point> propose() override {
    // The next particle that is not in flight. If all are in flight, a random point keeps the device busy.
    for (std::size_t tried = 0; tried < particles_.size(); ++tried) {
      const std::size_t number = next_++ % particles_.size();
      Particle& particle = particles_[number];
      if (particle.is_in_flight) continue;
      std::optional<Point> point;
      if (particle.at.empty()) {
        point = draw();
      } else {
        const Point target = move(particle);
        point = take_near(toward(particle.at, target));
      }
      if (!point) return std::nullopt;
      particle.is_in_flight = true;
      in_flight_[*point] = number;
      return point;
    }
    return draw();
  }

  void learn(const Point& point, double objective) override {
    if (objective < best_.objective) best_ = {point, objective};
    const auto asked = in_flight_.find(point);
    if (asked == in_flight_.end()) return;
    Particle& particle = particles_[asked->second];
    in_flight_.erase(asked);
    particle.is_in_flight = false;
    // A particle does not begin at a failure.
    if (particle.at.empty() && !std::isfinite(objective)) return;
    if (particle.at.empty()) {
      for (std::size_t i = 0; i < dimensions(); ++i)
        particle.velocity.push_back((uniform() - 0.5) * static_cast<double>(values(i) - 1));
    }
    particle.at = point;
    if (objective < particle.best.objective) particle.best = {point, objective};
  }

 private:
  struct Particle {
    Point at;  // empty before its first result
    std::vector<double> velocity;
    Evaluated best;
    bool is_in_flight = false;
  };

  Point move(Particle& particle) {
    Point target = particle.at;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const double at = particle.at[i], span = static_cast<double>(values(i) - 1);
      if (!is_ordered(i)) {  // names have no velocity: the value of one of the three points, or any value
        const double choice = uniform();
        if (choice < 0.3)
          target[i] = best_.point[i];
        else if (choice < 0.6)
          target[i] = particle.best.point[i];
        else if (choice < 0.7)
          target[i] = rank(i);
        continue;
      }
      double& velocity = particle.velocity[i];
      velocity = inertia_ * velocity + own_pull_ * uniform() * (particle.best.point[i] - at) +
                 swarm_pull_ * uniform() * (best_.point[i] - at);
      velocity = std::clamp(velocity, -span, span);
      target[i] = static_cast<std::uint32_t>(std::clamp(std::floor(at + velocity + uniform()), 0.0, span));
    }
    return target;
  }

  std::vector<Particle> particles_;
  double inertia_, own_pull_, swarm_pull_;
  Evaluated best_;
  std::map<Point, std::size_t> in_flight_;
  std::size_t next_ = 0;
};

}  // namespace

Strategy genetic_strategy() {
  return {.name = "genetic",
          .summary = "a genetic algorithm: children of the best, crossed and mutated",
          .options = {{"population", "members", 20, {10, 20, 40}},
                      {"mutations", "parameters that a child changes on average", 1.0, {0.5, 1.0, 2.0}},
                      {"tournament", "members of a tournament; the best becomes a parent", 3, {2, 3, 5}}},
          .make = make_strategy<Genetic>};
}

Strategy differential_evolution_strategy() {
  return {
      .name = "differential-evolution",
      .summary = "differential evolution: members move by the differences of others",
      .options = {{"population", "members", 20, {10, 20, 40}},
                  {"scale", "of a difference", 0.7, {0.4, 0.7, 1.0}},
                  {"crossover", "the share of parameters that a challenger changes", 0.5, {0.3, 0.5, 0.9}}},
      .make = make_strategy<DifferentialEvolution>};
}

Strategy particle_swarm_strategy() {
  return {.name = "particle-swarm",
          .summary = "particle swarm optimisation",
          .options = {{"population", "particles", 20, {10, 20, 40}},
                      {"inertia", "the share of its velocity that a particle keeps", 0.5, {0.3, 0.5, 0.7}},
                      {"own_pull", "toward the particle's own best point", 2.0, {1.0, 2.0, 3.0}},
                      {"swarm_pull", "toward the best point of all", 1.0, {0.5, 1.0, 2.0}}},
          .make = make_strategy<ParticleSwarm>};
}

}  // namespace gktune
