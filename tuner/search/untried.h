#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <unordered_set>
#include <vector>

#include "tuner/core/trial.h"
#include "tuner/space/solver/space.h"

namespace gktune {

struct RanksHash {
  std::size_t operator()(const Space::Ranks& ranks) const;
};

// The valid configurations that differ from this one in one parameter. `step_of` gives the length of a step
// in a parameter: only the next valid values at that distance or farther count, up and down. 0: all values
// count.
std::vector<Space::Ranks> neighbours_of(const Space& space, const Space::Ranks& centre,
                                        const std::function<std::uint32_t(std::uint32_t)>& step_of);

// The valid configurations of a space that were neither proposed nor told. Every strategy takes its proposals
// from here, so that each proposal is valid and new.
class Untried {
 public:
  // The space must outlive this object.
  explicit Untried(const Space& space) : space_(space) {}

  const Space& space() const { return space_; }
  bool empty() const { return space_.size() == Count(taken_.size()); }
  Count count() const { return space_.size() - Count(taken_.size()); }
  bool is_taken(const Space::Ranks& ranks) const { return taken_.contains(ranks); }
  // Returns false if the configuration was taken before or is invalid.
  bool take(std::span<const std::uint32_t> ranks);
  bool take(const Config& config);
  // An untried configuration, all with equal probability; empty if none is left. `draw`
  // takes it, `sample` does not.
  std::optional<Space::Ranks> sample(std::mt19937_64& random);
  std::optional<Space::Ranks> draw(std::mt19937_64& random);
  // All untried configurations in the order of the space. Requires that they fit in memory.
  std::vector<Space::Ranks> all() const;

 private:
  void list_the_rest();

  const Space& space_;
  std::unordered_set<Space::Ranks, RanksHash> taken_;
  bool rest_is_listed_ = false;
  // Indices of the untried, listed when more than half was taken; some may be taken by now.
  std::vector<std::uint64_t> rest_;
};

}  // namespace gktune
