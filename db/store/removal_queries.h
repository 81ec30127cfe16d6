#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/row_sums.h"

namespace gktune::removal {

// The SQL that finds, counts and removes trials of one study at a time. A test asks SQLite for the plan of
// each: what counts reads indexes only.

// Trials `t` of study ?1 to remove; ?2 is the end of the period. A trial meets at most one of the
// rules that are used together.
struct Rule {
  std::string_view table, condition;
};

// Trials that were measured again.
inline constexpr Rule kSuperseded{"trials t", "t.is_current = 0 AND t.ended_ms < ?2"};
// Configurations that failed when they were measured the last time.
inline constexpr Rule kFailed{"trials t INDEXED BY trials_failed",
                              "t.is_current = 1 AND t.status <> 'ok' AND t.ended_ms < ?2"};
// Their earlier trials: one that went well would become the current one.
inline constexpr Rule kEarlierOfFailed{
    "trials t INDEXED BY trials_superseded",
    "t.is_current = 0 AND EXISTS (SELECT 1 FROM trials c INDEXED BY trials_failed WHERE c.study_id = ?1"
    " AND c.config = t.config AND c.is_current = 1 AND c.status <> 'ok' AND c.ended_ms < ?2)"};
// Those of them that are no older than the trials of kSuperseded.
inline constexpr Rule kLaterOfFailed{
    "trials t INDEXED BY trials_superseded",
    "t.is_current = 0 AND t.ended_ms >= ?2 AND EXISTS (SELECT 1 FROM trials c INDEXED BY trials_failed WHERE "
    "c.study_id = ?1 AND c.config = t.config AND c.is_current = 1 AND c.status <> 'ok' AND c.ended_ms < ?2)"};
inline constexpr Rule kCurrent{"trials t", "t.is_current = 1 AND t.ended_ms < ?2"};
// Those that are listed in a table of the connection.
inline constexpr std::string_view kList =
    "CREATE TEMP TABLE listed (study_id INTEGER, id INTEGER, PRIMARY KEY (study_id, id)) WITHOUT ROWID";
inline constexpr Rule kListed{"trials t",
                              "t.id IN (SELECT id FROM listed WHERE study_id = ?1) AND t.ended_ms < ?2"};
// All of the study.
inline constexpr Rule kWhole{"trials t", "t.ended_ms < ?2"};

inline std::string any_of(const std::vector<Rule>& rules) {
  std::string any;
  for (const Rule& rule : rules) any += (any.empty() ? "(" : " OR (") + std::string(rule.condition) + ")";
  return "(" + any + ")";
}

inline std::string trials_of(const Rule& rule, std::string_view column) {
  return "SELECT " + std::string(column) + " FROM " + std::string(rule.table) +
         " WHERE t.study_id = ?1 AND " + std::string(rule.condition);
}

inline std::string count_of(const Rule& rule) { return trials_of(rule, "count(*)"); }

inline std::string removal_of(const Rule& rule) {
  return "DELETE FROM trials WHERE id IN (" + trials_of(rule, "t.id") + ")";
}

// The number of playoffs that lose their winner.
inline std::string playoffs_of(const std::vector<Rule>& rules) {
  return "SELECT count(*) FROM playoffs p WHERE p.study_id = ?1 AND NOT EXISTS (SELECT 1 FROM finalists f"
         " CROSS JOIN trials t ON t.id = f.trial_id WHERE f.playoff_id = p.id AND f.place = 1 AND NOT " +
         any_of(rules) + ")";
}

// ?3: now. The kernel of a program that tunes this study, or in a session, that would lose trials.
inline std::string claims_of(const std::vector<Rule>& rules) {
  return "SELECT s.kernel FROM claims c CROSS JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ?3 "
         "AND (c.study_id = ?1 OR EXISTS (SELECT 1 FROM trials t WHERE t.session_id = c.session_id AND "
         "+t.study_id = ?1 AND " +
         any_of(rules) + ")) LIMIT 1";
}

// ?1: study. The number of its trials, and whether a program has a claim on it, which may have ended.
inline constexpr std::string_view kStudy =
    "SELECT (SELECT coalesce(sum(trials), 0) FROM study_counts WHERE study_id = ?1),"
    " EXISTS (SELECT 1 FROM claims WHERE study_id = ?1)";

// ?1: study, ?2: before. Whether another version of its kernel was tuned later on its device (of which a
// sound row has to tell), and whether all its trials ended before.
inline const std::string kIsOutdated =
    "SELECT EXISTS (SELECT 1 FROM studies o WHERE o.kernel = s.kernel AND o.device_id = s.device_id"
    "   AND o.fingerprint <> s.fingerprint AND o.updated_ms > (SELECT max(v.updated_ms) FROM studies v"
    "    WHERE v.kernel = s.kernel AND v.device_id = s.device_id AND v.fingerprint = s.fingerprint) AND " +
    is_sound(summed::kStudies, "o.") +
    "), s.updated_ms < ?2 FROM studies s WHERE s.id = ?1";

}  // namespace gktune::removal
