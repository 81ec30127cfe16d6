// How long a strategy takes for a proposal: 1000 trials in a space of 10⁶ valid configurations, which could
// be listed, and in one of 10¹², which cannot. Prints wall time and processor time; on a machine that other
// work shares, the latter is the strategy's own.
//
//   proposal_time [STRATEGY]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "tuner/search/strategy.h"

namespace gktune {
namespace {

constexpr int kTrials = 1000;

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// 10 values for each parameter: 10^parameters configurations.
Space space_of(int parameters) {
  std::vector<Parameter> all;
  for (int i = 0; i < parameters; ++i) {
    Parameter parameter{.name = "p" + std::to_string(i)};
    for (int value = 1; value <= 10; ++value) parameter.values.emplace_back(8 * value);
    all.push_back(std::move(parameter));
  }
  return Space::build(std::move(all), {}, Scope()).value();
}

// A bowl with a fringe of failures.
Trial measured(const Config& config) {
  Trial trial{.config = config, .compile_s = 0.1, .run_s = 0.05};
  double sum = 0;
  for (const auto& [name, value] : config) sum += std::pow(std::log(value.number() / 32), 2);
  trial.objective = trial.timing.median_us = 10 + sum;
  if (sum > 8) trial.status = Status::launch_failed;
  return trial;
}

struct Clocked {
  double sum = 0, worst = 0;
  void add(double seconds) {
    sum += seconds;
    worst = std::max(worst, seconds);
  }
};

int measure(const std::string& strategy, int parameters) {
  const Space space = space_of(parameters);
  const double begun = thread_seconds();
  auto searcher = make_searcher(strategy, {.space = space, .seed = 1});
  if (!searcher) {
    std::fprintf(stderr, "%s\n", searcher.error().message.c_str());
    return 2;
  }
  const double start_s = thread_seconds() - begun;
  Clocked wall, own;
  for (int i = 0; i < kTrials; ++i) {
    const double wall_before = wall_seconds(), own_before = thread_seconds();
    const auto config = (*searcher)->ask();
    if (!config) break;
    const Trial trial = measured(*config);
    (*searcher)->tell(trial);
    own.add(thread_seconds() - own_before);
    wall.add(wall_seconds() - wall_before);
  }
  std::printf("10^%-2d  %8.3f ms average  %8.3f ms worst  (wall %.3f, %.3f)  %.1f ms to begin\n", parameters,
              own.sum * 1e3 / kTrials, own.worst * 1e3, wall.sum * 1e3 / kTrials, wall.worst * 1e3,
              start_s * 1e3);
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int count, char** arguments) {
  const std::string strategy = count > 1 ? arguments[1] : "auto";
  std::printf("%s, %d trials, processor time of a proposal and its result:\n", strategy.c_str(),
              gktune::kTrials);
  for (const int parameters : {6, 12}) {
    if (const int code = gktune::measure(strategy, parameters); code != 0) return code;
  }
}
