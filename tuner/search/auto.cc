#include "tuner/search/auto.h"

#include "tuner/core/quantity.h"

#include "tuner/search/bayes/bayes.h"
#include "tuner/search/exhaustive.h"

namespace gktune {
namespace {

// A model of fewer configurations would come too late.
constexpr int kModelled = 16;

// True if all configurations are tried. Before the first trial, a limit in
// seconds does not tell how many fit.
bool fits(const SearchTask& task) {
  const Count& size = task.space.size();
  return size < kModelled || (task.budget.seconds <= 0 && task.budget.trials > 0 &&
                              size <= static_cast<std::uint64_t>(task.budget.trials));
}

}  // namespace

Auto::Auto(const SearchTask& task) {
  const std::string size = format_count(task.space.size().str());
  if (fits(task)) {
    chosen_ = std::make_unique<Exhaustive>(task);
    description_ = "all " + size + " configurations fit the budget: each is tried";
  } else {
    chosen_ = std::make_unique<Bayes>(task);
    description_ = chosen_->description() + " among " + size + " configurations";
  }
}

Strategy auto_strategy() {
  return {.name = "auto",
          .summary = "every configuration where the budget allows, else bayes",
          .make = make_strategy<Auto>};
}

}  // namespace gktune
