#include "tuner/search/bayes/bayes.h"

#include "tuner/search/bayes/gaussian_process.h"

namespace gktune {

Bayes::Bayes(const SearchTask& task, const ModelSettings& settings, int fit_steps)
    : ModelSearch(
          task, settings,
          [fit_steps](const Features& features) {
            return std::make_unique<GaussianProcess>(features, fit_steps);
          },
          "a Gaussian process predicts time, cost and failure") {}

namespace {

std::unique_ptr<Searcher> make_bayes(const SearchTask& task) {
  return std::make_unique<Bayes>(task, model_settings(task),
                                 static_cast<int>(task.option("fit_steps").integer()));
}

}  // namespace

Strategy bayes_strategy() {
  std::vector<StrategyOption> options = model_options();
  options.push_back({"fit_steps",
                     "steps of the kernel's fit between refits",
                     Value(static_cast<std::int64_t>(Bayes::kFitSteps)),
                     {30, 60, 100, 200},
                     0,
                     10000});
  return {.name = "bayes",
          .summary = "a Gaussian process predicts time, cost and failure; the most promising comes next",
          .options = std::move(options),
          .make = make_bayes};
}

}  // namespace gktune
