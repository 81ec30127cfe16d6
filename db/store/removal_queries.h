#pragma once

#include <string>
#include <string_view>

#include "db/row_sums.h"

namespace gktune::removal {

// The SQL that finds and counts what would be removed. A test asks SQLite for the plan of each: none may read all trials.

// The trials to remove one by one, and the studies that lose trials, in tables of the connection. Of a whole study no trial is
// listed.
inline constexpr std::string_view kTables =
    "CREATE TEMP TABLE doomed (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE doomed_studies (id INTEGER PRIMARY KEY, is_whole INTEGER NOT NULL)";

// ?1: study, ?2: before. Trials that were measured again.
inline constexpr std::string_view kSuperseded =
    "INSERT OR IGNORE INTO doomed SELECT id FROM trials WHERE study_id = ?1 AND is_current = 0 AND ended_ms < ?2";

// The same. Configurations that failed when they were measured the last time.
inline constexpr std::string_view kFailed =
    "INSERT OR IGNORE INTO doomed"
    " SELECT id FROM trials WHERE study_id = ?1 AND is_current = 1 AND status < 'ok' AND ended_ms < ?2"
    " UNION ALL SELECT id FROM trials WHERE study_id = ?1 AND is_current = 1 AND status > 'ok' AND ended_ms < ?2";
// ?1: study. Their earlier trials: one that went well would become the current one.
inline constexpr std::string_view kEarlierOfFailed =
    "INSERT OR IGNORE INTO doomed SELECT e.id FROM trials e WHERE e.study_id = ?1 AND e.is_current = 0"
    " AND EXISTS (SELECT 1 FROM doomed d WHERE d.id ="
    "  (SELECT c.id FROM trials c WHERE c.study_id = ?1 AND c.config = e.config AND c.is_current = 1))";

// ?1: study, ?2: before.
inline constexpr std::string_view kOlder =
    "INSERT OR IGNORE INTO doomed SELECT id FROM trials WHERE study_id = ?1 AND ended_ms < ?2";

// ?1: study, ?2: before. Whether another version of its kernel was tuned later on its device (of which a sound row has to tell), and
// whether all its trials ended before.
inline const std::string kIsOutdated =
    "SELECT EXISTS (SELECT 1 FROM studies o WHERE o.kernel = s.kernel AND o.device_id = s.device_id"
    "   AND o.fingerprint <> s.fingerprint AND o.updated_ms > (SELECT max(v.updated_ms) FROM studies v"
    "    WHERE v.kernel = s.kernel AND v.device_id = s.device_id AND v.fingerprint = s.fingerprint) AND " +
    is_sound(summed::kStudies, "o.") +
    "), s.updated_ms < ?2 FROM studies s WHERE s.id = ?1";

// Counts the trials to remove.
inline constexpr std::string_view kTrials =
    "SELECT (SELECT count(*) FROM doomed) + (SELECT coalesce(sum(c.trials), 0) FROM doomed_studies d"
    " CROSS JOIN study_counts c ON c.study_id = d.id WHERE d.is_whole)";

// Counts playoffs that lose their winner.
inline constexpr std::string_view kPlayoffs =
    "SELECT count(*) FROM doomed_studies d CROSS JOIN playoffs p ON p.study_id = d.id"
    " WHERE d.is_whole OR NOT EXISTS (SELECT 1 FROM finalists f WHERE f.playoff_id = p.id AND f.place = 1"
    "                                 AND f.trial_id NOT IN (SELECT id FROM doomed))";

// Counts studies that lose their last trial.
inline constexpr std::string_view kStudies =
    "SELECT count(*) FROM doomed_studies d CROSS JOIN studies s ON s.id = d.id"
    " WHERE (d.is_whole OR"
    "        NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = s.id AND t.id NOT IN (SELECT id FROM doomed)))"
    " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.study_id = s.id)";

// ?1: now. The kernel of a program that tunes a study, or in a session, that would lose trials.
inline constexpr std::string_view kClaims =
    "SELECT s.kernel FROM claims c JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ?1"
    " AND (c.study_id IN (SELECT id FROM doomed_studies)"
    "  OR EXISTS (SELECT 1 FROM trials t WHERE t.session_id = c.session_id AND (t.id IN (SELECT id FROM doomed)"
    "             OR t.study_id IN (SELECT id FROM doomed_studies WHERE is_whole)))) LIMIT 1";

}  // namespace gktune::removal
