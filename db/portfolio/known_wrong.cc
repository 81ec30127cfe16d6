#include "db/portfolio/known_wrong.h"

#include <vector>

#include "tuner/core/text.h"
#include "tuner/core/trial.h"

namespace gktune {
namespace {

// The device or the compiler refuses the configuration for a problem; on another problem it may be right.
bool is_refusal(Status status) {
  switch (status) {
    case Status::invalid:
    case Status::compile_failed:
    case Status::compile_timed_out:
    case Status::launch_failed:
    case Status::out_of_memory:
      return true;
    default:
      return false;
  }
}

// 'wrong_result', 'crashed', …
std::string misbehavior_list() {
  std::vector<Status> misbehaviors;
  for (int i = 0; i <= static_cast<int>(kLastStatus); ++i) {
    const auto status = static_cast<Status>(i);
    if (status != Status::ok && !is_refusal(status) && !ends_problem(status)) misbehaviors.push_back(status);
  }
  return joined(misbehaviors, ", ",
                [](Status status) { return "'" + std::string(status_name(status)) + "'"; });
}

}  // namespace

const std::string KnownWrong::kMisbehaved =
    "SELECT 1 FROM studies s CROSS JOIN study_counts c ON c.study_id = s.id AND c.is_current = 1 AND "
    "c.status IN (" +
    misbehavior_list() +
    ") AND c.trials > 0 CROSS JOIN trials t ON t.study_id = s.id AND t.is_current = 1 AND t.config = ?4 "
    "WHERE s.kernel = ?1 AND s.fingerprint = ?2 AND s.device_id = ?3 AND t.status = c.status AND t.ended_ms "
    "> ?5 LIMIT 1";

KnownWrong::KnownWrong(const sqlite::Database& database)
    : misbehaved_(database, kMisbehaved), outcomes_(database, kOutcomes), last_tuned_(database, kLastTuned) {}

bool KnownWrong::is_wrong(std::string_view kernel, std::string_view fingerprint, std::int64_t device,
                          std::string_view config, std::int64_t chosen_ms) {
  misbehaved_.bind(kernel, fingerprint, device, config, chosen_ms);
  if (misbehaved_.step()) return true;
  outcomes_.bind(kernel, fingerprint, device, config);
  bool is_tried = false;
  while (outcomes_.step()) {
    if (outcomes_.row().boolean()) return false;
    is_tried = true;
  }
  return is_tried;
}

bool KnownWrong::judge(Portfolio& portfolio, std::int64_t device) {
  std::vector<Config> kept;
  // Among those that are kept; the first takes the place of one that is left out.
  std::vector<std::size_t> places;
  for (const Config& config : portfolio.configs) {
    const bool is_left_out =
        is_wrong(portfolio.kernel, portfolio.fingerprint, device, config.json(), portfolio.made_unix_ms);
    places.push_back(is_left_out ? 0 : kept.size());
    if (!is_left_out) kept.push_back(config);
  }
  last_tuned_.bind(portfolio.kernel, portfolio.fingerprint, device, regime_name(portfolio.regime),
                   portfolio.objective);
  const bool is_outdated = last_tuned_.step() && portfolio.made_unix_ms < last_tuned_.row().integer();
  // The portfolio changes after all rows were read: one that is damaged leaves it as it is.
  const std::size_t left_out = places.size() - kept.size();
  portfolio.configs = std::move(kept);
  for (PortfolioNode& node : portfolio.tree) {
    if (node.axis.empty()) node.config = places[node.config];
  }
  if (left_out > 0) {
    portfolio.stale.push_back(
        std::to_string(left_out) + (left_out == 1 ? " configuration" : " configurations") +
        " of the portfolio failed later and " + (left_out == 1 ? "is" : "are") + " left out");
  }
  if (is_outdated) portfolio.stale.emplace_back(kPortfolioOutdated);
  return !portfolio.configs.empty();
}

}  // namespace gktune
