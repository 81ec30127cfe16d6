#pragma once

#include "tuner/core/result.h"

namespace gktune {

// Makes this process the parent of all processes that its children leave behind,
// whatever group or session they are in.
void adopt_orphans();
void adopt_no_orphans();

// Kills and reaps every child of this process, and those that it inherits from them in turn.
void end_descendants();

// Returns in a child of this process, which is itself left behind as the supervisor of the child: it passes
// on the signals that a worker gets from its parent, kills what the child leaves behind, and ends in the way
// that the child ended. If the supervisor is killed, the child gets SIGTERM. An error: there is no child, and
// this process is as it was.
Result<void> run_under_supervisor();

}  // namespace gktune
