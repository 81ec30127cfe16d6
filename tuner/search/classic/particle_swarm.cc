#include "tuner/search/classic/population.h"
#include "tuner/search/classic/strategies.h"

namespace gktune {
namespace {

// Particle swarm optimisation on ranks: particles keep some of their velocity and are drawn to the best point
// of their own and of the swarm.
class ParticleSwarm : public PointSearcher {
 public:
  explicit ParticleSwarm(const SearchTask& task)
      : PointSearcher(task),
        particles_(population_size(task)),
        inertia_(task.option("inertia").real()),
        own_pull_(task.option("own_pull").real()),
        swarm_pull_(task.option("swarm_pull").real()) {}

 protected:
  std::optional<Point> propose() override {
    // The next particle that is not in flight; where all are, a draw keeps the device busy.
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
    Point at;  // empty: has not begun
    std::vector<double> velocity;
    Individual best;
    bool is_in_flight = false;
  };

  Point move(Particle& particle) {
    Point target = particle.at;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const double at = particle.at[i], span = static_cast<double>(values(i) - 1);
      if (!is_ordered(i)) {  // names have no velocity: one of the three, or any now and then
        const double choice = uniform();
        if (choice < 0.3)
          target[i] = best_.point[i];
        else if (choice < 0.6)
          target[i] = particle.best.point[i];
        else if (choice < 0.7)
          target[i] = static_cast<std::uint32_t>(place(values(i)));
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
  Individual best_;
  std::map<Point, std::size_t> in_flight_;
  std::size_t next_ = 0;
};

}  // namespace

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
