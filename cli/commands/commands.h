#pragma once

#include "cli/command.h"

namespace gktune {

Command new_command();
Command run_command();
Command check_command();
Command space_command();
Command best_command();
Command db_command();
Command report_command();
Command import_command();
Command bundle_command();
Command exec_command();
Command score_command();
Command devices_command();
Command completions_command();
Command worker_command();  // hidden: the worker processes of a device run it

}  // namespace gktune
