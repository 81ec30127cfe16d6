// Checks that tunings of one space agree: the best configuration of each database, timed in turn on one
// problem. Needs a GPU.
//
//   same_answer SPACE [rounds=200] [axis=value …] DATABASE…
#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/contest.h"
#include "bench/variants.h"
#include "gktune/lookup.h"

namespace gktune {
namespace {

int run(int argc, char** argv) {
  Problem axes;
  std::vector<std::string> databases;
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.find('=') == std::string::npos) {
      databases.push_back(argument);
    } else {
      set_axis(axes, argument);
    }
  }
  if (databases.size() < 2) {
    std::fprintf(stderr, "same_answer SPACE [rounds=200] [axis=value …] DATABASE…\n");
    return 2;
  }
  const auto rounds = static_cast<int>(number_of(axes, "rounds", 200));

  Contest contest(argv[1], axes);
  for (const auto& path : databases) {
    const auto lookup = Lookup::open(path);
    if (!lookup) {
      std::fprintf(stderr, "%s\n", lookup.error().message.c_str());
      return 1;
    }
    const Answer answer = lookup->best(contest.definition().kernel.name, contest.problem());
    if (answer.match != Match::exact) {
      std::fprintf(stderr, "%s was not tuned for this problem\n", path.c_str());
      return 4;
    }
    contest.enter(path, answer.config);
  }
  const auto contenders = contest.hold(rounds);
  double least_us = contenders.front().trial.timing.median_us;
  for (const auto& contender : contenders) least_us = std::min(least_us, contender.trial.timing.median_us);
  for (const auto& contender : contenders) {
    const Timing& timing = contender.trial.timing;
    std::printf("%-16s %10.2f us [%.2f, %.2f]  %s  + %.2f %%  %s\n", contender.name.c_str(), timing.median_us,
                timing.low_us, timing.high_us, score_of(contender).c_str(),
                (timing.median_us / least_us - 1) * 100, contender.trial.config.str().c_str());
  }
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) { return gktune::run(argc, argv); }
