#include "tuner/search/climb.h"

#include <algorithm>
#include <iterator>

namespace gktune {
namespace {

// Draws before the first step.
constexpr std::size_t kFirstDraws = 24;
// One proposal in this many is drawn at random.
constexpr std::size_t kDrawEvery = 5;
// Maximum number of configurations whose neighbours are tried.
constexpr std::size_t kSummits = 8;

}  // namespace

std::optional<Config> Climb::ask() {
  const bool may_climb = told_ >= kFirstDraws && ++asked_ % kDrawEvery != 0;
  if (may_climb) {
    if (auto config = step()) return config;
  }
  return draw();
}

std::optional<Config> Climb::draw() {
  const Space& space = untried_.space();
  if (default_is_due_) {
    default_is_due_ = false;
    auto config = space.default_config();
    if (config && untried_.take(*config)) return config;
  }
  const auto ranks = untried_.draw(random_);
  if (!ranks) return std::nullopt;
  return space.config_of(*ranks);
}

std::optional<Config> Climb::step() {
  for (auto& [objective, summit] : summits_) {
    if (!summit.is_surveyed) survey(summit);
    while (!summit.neighbours.empty()) {
      Config config = std::move(summit.neighbours.back());
      summit.neighbours.pop_back();
      if (untried_.take(config)) return config;
    }
  }
  return std::nullopt;
}

// The next value of one parameter before the others of it.
void Climb::survey(Summit& summit) {
  auto near = untried_.space().neighbours(summit.config, Neighbourhood::one_step);
  auto others = untried_.space().neighbours(summit.config, Neighbourhood::one_parameter);
  std::erase_if(others, [&](const Config& config) { return std::ranges::find(near, config) != near.end(); });
  std::ranges::shuffle(near, random_);
  std::ranges::shuffle(others, random_);
  summit.neighbours = std::move(others);
  summit.neighbours.insert(summit.neighbours.end(), near.begin(), near.end());  // taken from the end
  summit.is_surveyed = true;
}

void Climb::tell(const Trial& trial) {
  untried_.take(trial.config);
  ++told_;
  if (!trial.ok()) return;
  summits_.emplace(trial.objective, Summit{trial.config, false, {}});
  if (summits_.size() > kSummits) summits_.erase(std::prev(summits_.end()));
}

Strategy climb_strategy() {
  return {.name = "climb",
          .summary = "random draws, then the neighbours of the best, with draws in between",
          .make = make_strategy<Climb>};
}

}  // namespace gktune
