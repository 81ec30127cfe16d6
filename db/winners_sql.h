#pragma once

// The statement that fills winners from winner_view; a WHERE may follow it.
#define GKTUNE_FILL_WINNERS                                                              \
  "INSERT INTO winners (study_id, trial_id, finalist_id, session_id, config, median_us)" \
  " SELECT w.study_id, t.id, f.id, t.session_id, t.config,"                              \
  "   CASE WHEN f.id IS NULL THEN t.median_us ELSE f.median_us END"                      \
  " FROM winner_view w JOIN trials t ON t.id = w.trial_id LEFT JOIN finalists f ON f.id = w.finalist_id"

// The statement that fills general_configs for the studies `s` that meet the condition `which`, an SQL
// literal. Preference: success on the most problems, then the largest worst share of the best objective. An
// objective that is maximised is stored as a negative number: then the share is the other way round. A group
// of studies is known by the first of them: sorting by all its texts takes twice as long.
#define GKTUNE_FILL_GENERAL_CONFIGS(which)                                                                  \
  "WITH leasts AS MATERIALIZED ("                                                                           \
  "  SELECT s.id, min(s.id) OVER (PARTITION BY s.kernel, s.fingerprint, s.device_id, s.regime, "            \
  "s.objective) AS first,"                                                                                  \
  "    (SELECT min(t.objective) FROM trials t"                                                              \
  "     WHERE t.study_id = s.id AND t.is_current = 1 AND t.status = 'ok') AS least"                         \
  "  FROM studies s WHERE " which                                                                           \
  "), shares AS ("                                                                                          \
  "  SELECT l.first, t.config, count(*) AS problems,"                                                       \
  "    min(CASE WHEN t.objective = l.least THEN 1.0"                                                        \
  "             WHEN l.least > 0 THEN l.least / t.objective"                                                \
  "             WHEN t.objective < 0 THEN t.objective / l.least ELSE 0.0 END) AS share"                     \
  "  FROM leasts l CROSS JOIN trials t ON t.study_id = l.id AND t.is_current = 1 AND t.status = 'ok'"       \
  "    AND t.objective IS NOT NULL"                                                                         \
  "  GROUP BY l.first, t.config"                                                                            \
  "), places AS ("                                                                                          \
  "  SELECT *, row_number() OVER (PARTITION BY first ORDER BY problems DESC, share DESC, config) AS place " \
  "FROM shares"                                                                                             \
  ")"                                                                                                       \
  " INSERT OR REPLACE INTO general_configs (kernel, fingerprint, device_id, regime, objective, config, "    \
  "share,"                                                                                                  \
  "   problems)"                                                                                            \
  " SELECT s.kernel, s.fingerprint, s.device_id, s.regime, s.objective, p.config, p.share, p.problems"      \
  " FROM places p CROSS JOIN studies s ON s.id = p.first WHERE p.place = 1"
