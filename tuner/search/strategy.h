#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"

namespace gktune {

// A hyper-parameter of a strategy.
struct StrategyOption {
  std::string_view name;
  std::string_view summary;
  Value default_value;              // its kind is the option's kind; a real option also accepts integers
  std::vector<Value> choices = {};  // values to try when a strategy is tuned
  // Bounds of a number.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
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

}  // namespace gktune
