#pragma once

#include <string>
#include <string_view>

namespace gktune {

// A table whose rows carry a checksum. The column `checksum` is that of these columns: every column that
// holds a value, also the ids of other rows. Schema 5 gave each row one, so that a row without it is damaged.
struct SummedTable {
  std::string_view name;
  std::string_view columns;
};

namespace summed {

// The columns of a trial, and of a finalist, that were measured.
#define GKTUNE_TRIAL_CONTENTS                                                                             \
  "config, status, message, objective, is_dropped_early, median_us, low_us, high_us, min_us, mean_us, "   \
  "deviation_us, metrics, registers, spill_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, " \
  "grid_x, "                                                                                              \
  "grid_y, grid_z, block_x, block_y, block_z, clock_mhz, temperature_c, power_w, energy_j, throttled, "   \
  "compile_s, "                                                                                           \
  "run_s, started_ms, ended_ms, samples"
#define GKTUNE_FINALIST_CONTENTS "objective, median_us, low_us, high_us, min_us, mean_us, deviation_us, metrics, samples"

inline constexpr SummedTable kDevices{"devices", "kind, name, architecture, multiprocessors"};
inline constexpr SummedTable kStudies{
    "studies", "kernel, fingerprint, device_id, problem, regime, objective, updated_ms, recorded"};
inline constexpr SummedTable kSessions{
    "sessions",
    "uuid, tool_version, host_name, driver, runtime, compiler, figures, command_line, begun_ms, ended_ms"};
// is_current is left out: it changes with other rows of the configuration, and `db
// check` compares it with them.
inline constexpr SummedTable kTrials{"trials",
                                     "study_id, session_id, number, " GKTUNE_TRIAL_CONTENTS ", recorded"};
inline constexpr SummedTable kPlayoffs{"playoffs", "study_id, session_id, held_ms"};
inline constexpr SummedTable kFinalists{"finalists",
                                        "playoff_id, place, trial_id, " GKTUNE_FINALIST_CONTENTS};
inline constexpr SummedTable kWinners{"winners",
                                      "study_id, trial_id, finalist_id, session_id, config, median_us"};
inline constexpr SummedTable kPortfolios{
    "portfolios", "kernel, fingerprint, device_id, regime, objective, within, made_ms, body"};
inline constexpr SummedTable kSpaces{"spaces", "kernel, fingerprint, matching, constraints, default_config"};
inline constexpr SummedTable kGeneralConfigs{
    "general_configs", "kernel, fingerprint, device_id, regime, objective, config, share, problems"};

inline constexpr SummedTable kAll[] = {kTrials,   kFinalists,  kStudies, kDevices,        kSessions,
                                       kPlayoffs, kPortfolios, kWinners, kGeneralConfigs, kSpaces};

}  // namespace summed

// The SQL of the checksum that a row should have. The prefix goes before each column: "s.".
std::string checksum_of(const SummedTable& table, std::string_view prefix = "");
// The SQL that is true for a row with its checksum.
std::string is_sound(const SummedTable& table, std::string_view prefix = "");

// The statement that gives rows their checksum. For rows that were written completely; of a row that was only
// changed, the rest may be damaged.
std::string seal(const SummedTable& table, std::string_view condition);
// The statement that changes one column of sound rows, and their checksum. A damaged row stays as it is.
std::string change_sound(const SummedTable& table, std::string_view column, std::string_view value,
                         std::string_view condition);

}  // namespace gktune
