#include "tuner/search/untried.h"

#include <algorithm>

namespace gktune {

std::size_t RanksHash::operator()(const Space::Ranks& ranks) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint32_t rank : ranks) {
    hash = (hash ^ rank) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

std::vector<Space::Ranks> neighbours_of(const Space& space, const Space::Ranks& centre,
                                        const std::function<std::uint32_t(std::uint32_t)>& step_of) {
  std::vector<Space::Ranks> found;
  for (std::uint32_t parameter = 0; parameter < centre.size(); ++parameter) {
    if (space.parameters()[parameter].values.size() < 2) continue;
    const std::uint32_t own = centre[parameter], step = step_of(parameter);
    const std::vector<std::uint32_t> ranks = space.choices(centre, parameter);
    const auto above = std::ranges::lower_bound(ranks, own + step);
    const auto behind_below = step > own ? ranks.begin() : std::ranges::upper_bound(ranks, own - step);
    for (auto rank = ranks.begin(); rank != ranks.end(); ++rank) {
      if (*rank == own || (step > 0 && rank != above && rank + 1 != behind_below)) continue;
      found.push_back(centre);
      found.back()[parameter] = *rank;
    }
  }
  return found;
}

bool Untried::take(std::span<const std::uint32_t> ranks) {
  return space_.contains(ranks) && taken_.insert(Space::Ranks(ranks.begin(), ranks.end())).second;
}

bool Untried::take(const Config& config) {
  const auto ranks = space_.ranks_of(config);
  return ranks && take(*ranks);
}

// While most of the space is untried, a uniform draw rarely meets a taken configuration. After that, the rest
// is short enough to list.
std::optional<Space::Ranks> Untried::sample(std::mt19937_64& random) {
  if (empty()) return std::nullopt;
  if (!rest_is_listed_ && Count(taken_.size()) * 2 > space_.size()) list_the_rest();
  if (!rest_is_listed_) {
    while (true) {
      Space::Ranks ranks = space_.ranks_at(space_.sample(random));
      if (!taken_.contains(ranks)) return ranks;
    }
  }
  while (true) {
    const std::size_t place = static_cast<std::size_t>(random() % rest_.size());
    Space::Ranks ranks = space_.ranks_at(rest_[place]);
    if (!taken_.contains(ranks)) return ranks;
    rest_[place] = rest_.back();
    rest_.pop_back();
  }
}

std::optional<Space::Ranks> Untried::draw(std::mt19937_64& random) {
  auto ranks = sample(random);
  if (ranks) taken_.insert(*ranks);
  return ranks;
}

std::vector<Space::Ranks> Untried::all() const {
  std::vector<Space::Ranks> found;
  const auto size = static_cast<std::uint64_t>(space_.size());
  for (std::uint64_t index = 0; index < size; ++index) {
    Space::Ranks ranks = space_.ranks_at(index);
    if (!taken_.contains(ranks)) found.push_back(std::move(ranks));
  }
  return found;
}

void Untried::list_the_rest() {
  const auto size = static_cast<std::uint64_t>(space_.size());
  for (std::uint64_t index = 0; index < size; ++index) {
    if (!taken_.contains(space_.ranks_at(index))) rest_.push_back(index);
  }
  rest_is_listed_ = true;
}

}  // namespace gktune
