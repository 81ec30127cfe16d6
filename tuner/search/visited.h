#pragma once

#include <set>

#include "tuner/core/trial.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// Which configurations of a space have been proposed or told; what keeps a strategy from trying one twice.
class Visited {
 public:
  explicit Visited(const Space& space) : space_(space) {}

  // True where the index is new.
  bool add(const Count& index) { return indices_.insert(index).second; }
  // A configuration that the space does not hold (any more) is nothing to remember.
  void add(const Config& config);
  bool contains(const Count& index) const { return indices_.contains(index); }
  std::size_t size() const { return indices_.size(); }
  bool is_everything() const { return indices_.size() == space_.size(); }

 private:
  const Space& space_;
  std::set<Count> indices_;
};

}  // namespace gktune
