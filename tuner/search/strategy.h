#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/core/trial.h"
#include "tuner/search/searcher.h"
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

  // The value of an option that the strategy declares, of the kind that it declares.
  double real(std::string_view name) const { return options.find(name)->real(); }
  std::size_t count(std::string_view name, std::int64_t least = 0) const {
    return static_cast<std::size_t>(std::max(least, options.find(name)->integer()));
  }
  const std::string& text(std::string_view name) const { return options.find(name)->text(); }
};

// A hyper-parameter of a strategy.
struct StrategyOption {
  std::string_view name;
  std::string_view summary;
  Value default_value;  // its kind is the option's kind; a real option also accepts integers
};

struct Strategy {
  std::string_view name;
  std::string_view summary;
  std::vector<StrategyOption> options = {};
  std::unique_ptr<Searcher> (*make)(const SearchTask& task) = nullptr;
};

// Makes a searcher of class T; a value for `Strategy::make`.
template <class T>
std::unique_ptr<Searcher> make_strategy(const SearchTask& task) {
  return std::make_unique<T>(task);
}

// All strategies, the default first.
const std::vector<Strategy>& strategies();

// An unknown strategy, an unknown option or an option of the wrong kind is an error.
Result<std::unique_ptr<Searcher>> make_searcher(std::string_view strategy, SearchTask task);

// The entries of strategies(), each defined in the file of its strategy.
Strategy auto_strategy();
Strategy bayes_strategy();
Strategy genetic_strategy();
Strategy random_strategy();
Strategy exhaustive_strategy();
Strategy external_strategy();

}  // namespace gktune
