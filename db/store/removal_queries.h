#pragma once

#include <string_view>

namespace gktune::removal {

// The SQL that counts what would be removed. A test asks SQLite for the plan of each: none may read all trials.

// The trials to remove, and the studies that they belong to, in tables of the connection.
inline constexpr std::string_view kTables =
    "CREATE TEMP TABLE doomed (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE doomed_studies (id INTEGER PRIMARY KEY)";

inline constexpr std::string_view kTrials = "SELECT count(*) FROM doomed";

// Those that lose their winner.
inline constexpr std::string_view kPlayoffs =
    "SELECT count(*) FROM doomed_studies d CROSS JOIN playoffs p ON p.study_id = d.id"
    " WHERE NOT EXISTS (SELECT 1 FROM finalists f WHERE f.playoff_id = p.id AND f.place = 1"
    "                   AND f.trial_id NOT IN (SELECT id FROM doomed))";

// Those that lose their last trial.
inline constexpr std::string_view kStudies =
    "SELECT count(*) FROM doomed_studies d CROSS JOIN studies s ON s.id = d.id"
    " WHERE NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = s.id AND t.id NOT IN (SELECT id FROM doomed))"
    " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.study_id = s.id)";

// Those that have ended, and keep neither a trial nor a playoff.
inline constexpr std::string_view kSessions =
    "SELECT count(*) FROM sessions c WHERE c.ended_ms IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.session_id = c.id AND t.id NOT IN (SELECT id FROM doomed))"
    " AND NOT EXISTS (SELECT 1 FROM playoffs p WHERE p.session_id = c.id"
    "                 AND (p.study_id NOT IN (SELECT id FROM doomed_studies)"
    "                      OR EXISTS (SELECT 1 FROM finalists f WHERE f.playoff_id = p.id AND f.place = 1"
    "                                 AND f.trial_id NOT IN (SELECT id FROM doomed))))";

// ?1: now. The kernel of a program that tunes a study, or in a session, that would lose trials.
inline constexpr std::string_view kClaims =
    "SELECT s.kernel FROM claims c JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ?1"
    " AND (c.study_id IN (SELECT id FROM doomed_studies)"
    "  OR EXISTS (SELECT 1 FROM doomed d CROSS JOIN trials t ON t.id = d.id WHERE t.session_id = c.session_id)) LIMIT 1";

}  // namespace gktune::removal
