#pragma once

#include <cstddef>
#include <cstdint>
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

// The valid configurations of a space that were neither proposed nor told. Every strategy takes its proposals
// from here, so none is invalid and none comes twice.
class Untried {
 public:
  // The space must outlive it.
  explicit Untried(const Space& space) : space_(space) {}

  const Space& space() const { return space_; }
  bool empty() const { return space_.size() == Count(taken_.size()); }
  std::size_t taken() const { return taken_.size(); }
  Count count() const { return space_.size() - Count(taken_.size()); }
  bool is_taken(const Space::Ranks& ranks) const { return taken_.contains(ranks); }
  // True where it was there.
  bool take(std::span<const std::uint32_t> ranks);
  bool take(const Config& config);
  // One with equal probability; nothing if none is left. `sample` keeps it, `draw` takes it.
  std::optional<Space::Ranks> sample(std::mt19937_64& random);
  std::optional<Space::Ranks> draw(std::mt19937_64& random);
  // In the order of the space. Requires a count that can be listed.
  std::vector<Space::Ranks> all() const;

 private:
  void list_the_rest();

  const Space& space_;
  std::unordered_set<Space::Ranks, RanksHash> taken_;
  bool rest_is_listed_ = false;
  std::vector<std::uint64_t> rest_;  // indices, once more than half is taken; some may be taken since
};

}  // namespace gktune
