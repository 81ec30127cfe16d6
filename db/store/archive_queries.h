#pragma once

#include <string>
#include <string_view>

#include "db/row_sums.h"
#include "db/session_row.h"

namespace gktune::archive {

// The SQL of Archive. A test asks SQLite for the plan of each: none may read all trials.

// ?1: study, ?2 and ?3: the period, ?4: the limit. Trials that were dropped early come in their place.
inline constexpr std::string_view kRanked =
    "SELECT id FROM (SELECT * FROM (SELECT id, objective FROM trials"
    "  WHERE study_id = ?1 AND is_current = 1 AND status = 'ok' AND is_dropped_early = 0"
    "  AND objective IS NOT NULL AND ended_ms >= ?2 AND ended_ms < ?3 ORDER BY objective LIMIT ?4)"
    " UNION ALL SELECT * FROM (SELECT id, objective FROM trials"
    "  WHERE study_id = ?1 AND is_current = 1 AND status = 'ok' AND is_dropped_early = 1"
    "  AND objective IS NOT NULL AND ended_ms >= ?2 AND ended_ms < ?3 ORDER BY objective LIMIT ?4))"
    " ORDER BY objective, id LIMIT ?4";

// ?1: study, ?2 and ?3: the period, ?4: the limit, ?5: the status, which is not ok.
inline constexpr std::string_view kFailed =
    "SELECT id FROM trials WHERE study_id = ?1 AND is_current = 1 AND status = ?5 AND ended_ms >= ?2"
    " AND ended_ms < ?3 LIMIT ?4";

inline constexpr std::string_view kCounts =
    "SELECT study_id, is_current, status, trials, compile_s, run_s FROM study_counts WHERE trials > 0"
    " AND (?1 = 0 OR study_id = ?1)";

// ?1 and ?2: two studies. The configurations that both tried.
inline constexpr std::string_view kCommon =
    "SELECT a.id, a.status, a.objective, a.median_us, b.id, b.status, b.objective, b.median_us, a.config"
    " FROM trials a JOIN trials b ON b.study_id = ?2 AND b.config = a.config AND b.is_current = 1"
    " WHERE a.study_id = ?1 AND a.is_current = 1 ORDER BY a.config";

// ?1: the study. The session that measured its winner.
inline const std::string kWinnerSession =
    "SELECT " + kEnvironmentColumns +
    ", coalesce(p.held_ms, t.ended_ms)"
    " FROM winners w JOIN trials t ON t.id = w.trial_id LEFT JOIN finalists f ON f.id = w.finalist_id"
    " LEFT JOIN playoffs p ON p.id = f.playoff_id AND " +
    is_sound(summed::kPlayoffs, "p.") +
    " JOIN sessions c ON c.id = coalesce(p.session_id, t.session_id) WHERE w.study_id = ?1";

// The session that measured the winner of each study.
inline const std::string kWinnerSessions =
    "SELECT s.id, s.kernel, s.fingerprint, s.device_id, s.updated_ms, coalesce(p.session_id, w.session_id)"
    " FROM studies s CROSS JOIN winners w ON w.study_id = s.id LEFT JOIN finalists f ON f.id = w.finalist_id"
    " LEFT JOIN playoffs p ON p.id = f.playoff_id WHERE " +
    is_sound(summed::kStudies, "s.") + " AND " + is_sound(summed::kWinners, "w.");

// ?1: a kernel, ?2: a device. When each version of the kernel was last tuned on it.
inline const std::string kVersions =
    "SELECT fingerprint, max(updated_ms) FROM studies WHERE kernel = ?1 AND device_id = ?2 AND " +
    is_sound(summed::kStudies) + " GROUP BY fingerprint";

inline constexpr std::string_view kTotals =
    "SELECT (SELECT count(*) FROM devices), (SELECT count(DISTINCT kernel) FROM studies),"
    " (SELECT count(*) FROM studies), (SELECT count(*) FROM sessions), (SELECT count(*) FROM playoffs),"
    " (SELECT count(*) FROM portfolios), (SELECT min(begun_ms) FROM sessions), (SELECT max(updated_ms) FROM "
    "studies)";

}  // namespace gktune::archive
