#pragma once

#include "cli/command.h"

namespace gktune {

// The commands below `gktune db`.
Command db_diff_command();
Command db_rm_command();
Command db_prune_command();
Command db_stats_command();
Command db_check_command();
Command db_repair_command();
Command db_sql_command();
Command db_portfolio_command();
Command db_export_command();
Command db_import_command();
Command db_merge_command();
Command db_slim_command();

}  // namespace gktune
