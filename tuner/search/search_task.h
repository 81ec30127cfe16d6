#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/trial.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// The budget of a search. 0 means no limit.
struct SearchBudget {
  std::int64_t trials = 0;  // includes earlier trials of the same study
  double seconds = 0;
};

// Trials of the same kernel under other circumstances: another problem, device or version of its source.
struct RelatedStudy {
  std::string name;  // to display: "NVIDIA RTX A4000, n=1048576"
  std::vector<Trial> trials;
};

// The input of a strategy. The space must outlive the searcher; the other members need not.
struct SearchTask {
  const Space& space;
  std::uint64_t seed = 0;
  SearchBudget budget = {};
  NamedValues options = {};                // the strategy's options; make_searcher adds the missing ones
  std::vector<RelatedStudy> related = {};  // the nearest first

  // Requires an option that the strategy declares.
  const Value& option(std::string_view name) const { return *options.find(name); }
};

}  // namespace gktune
