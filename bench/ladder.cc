// Every way of a kernel at its tuned best: for each value of a parameter the best configuration that a
// database knows, all timed in turn on one problem, as a table of Markdown. Needs a GPU.
//
//   ladder DATABASE SPACE PARAMETER LIMIT [rounds=50] [axis=value …]
//
// LIMIT is the machine's maximum, in the unit of the space's first metric.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "bench/contest.h"
#include "bench/variants.h"
#include "db/database.h"

namespace gktune {
namespace {

int run(int argc, char** argv) {
  const double most = argc > 4 ? std::strtod(argv[4], nullptr) : 0;
  if (most <= 0) {
    std::fprintf(stderr, "ladder DATABASE SPACE PARAMETER LIMIT [rounds=50] [axis=value …]\n");
    return 2;
  }
  Problem axes;
  for (int i = 5; i < argc; ++i) set_axis(axes, argv[i]);
  const auto rounds = static_cast<int>(number_of(axes, "rounds", 50));
  Contest contest(argv[2], axes);
  const std::string parameter = argv[3];

  const auto store = Database::open(argv[1], Database::Access::read);
  const auto studies = store ? (*store)->studies() : store.error();
  if (!studies) {
    std::fprintf(stderr, "%s\n", studies.error().message.c_str());
    return 1;
  }
  std::map<std::string, Trial> best;
  for (const StudySummary& summary : *studies) {
    const Definition& definition = contest.definition();
    if (summary.study.kernel != definition.kernel.name || summary.study.problem != contest.problem() ||
        summary.study.fingerprint != definition.fingerprint ||
        summary.study.device.name != contest.device().name) {
      continue;
    }
    const auto trials = (*store)->trials(summary.id);
    if (!trials) continue;
    for (const Trial& trial : *trials) {
      const Value* value = trial.config.find(parameter);
      if (!trial.ok() || value == nullptr) continue;
      const auto [known, is_new] = best.try_emplace(value->str(), trial);
      if (!is_new && trial.objective < known->second.objective) known->second = trial;
    }
  }
  for (const auto& each : contest.definition().parameters) {
    if (each.name != parameter) continue;
    for (const Value& value : each.values) {  // in the order of the file
      if (const auto known = best.find(value.str()); known != best.end()) {
        contest.enter(known->first, known->second.config);
      }
    }
  }
  const auto contenders = contest.hold(rounds);
  if (contenders.empty()) {
    std::fprintf(stderr, "%s knows nothing of this problem\n", argv[1]);
    return 4;
  }
  const std::string unit = contenders.front().trial.metrics.name(0);
  std::printf("%s, %s\n\n| %s | time | %s | of %g | configuration |\n|---|---|---|---|---|\n",
              contest.definition().kernel.name.c_str(), contest.problem().str().c_str(), parameter.c_str(),
              unit.c_str(), most);
  for (const auto& contender : contenders) {
    const double score = contender.trial.metrics.value(0).number();
    std::printf("| %s | %.2f us | %.4g | %.1f %% | %s |\n", contender.name.c_str(),
                contender.trial.timing.median_us, score, score / most * 100,
                contender.trial.config.str().c_str());
  }
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) { return gktune::run(argc, argv); }
