#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/trial.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// The budget of a search. 0: no bound.
struct SearchBudget {
  std::int64_t trials = 0;  // earlier ones of the same study included
  double seconds = 0;
};

// Trials of the same kernel under other circumstances: another problem, device or version of its source.
struct RelatedStudy {
  std::string name;  // for people: "NVIDIA RTX A4000, n=1048576"
  std::vector<Trial> trials;
};

// The work of a strategy. The space outlives the searcher; the rest may go once the searcher is made.
struct SearchTask {
  const Space& space;
  std::uint64_t seed = 0;
  SearchBudget budget = {};
  NamedValues options = {};                // of the strategy; make_searcher adds the defaults of the others
  std::vector<RelatedStudy> related = {};  // the nearest first

  // Requires an option that the strategy declares.
  const Value& option(std::string_view name) const { return *options.find(name); }
};

}  // namespace gktune
