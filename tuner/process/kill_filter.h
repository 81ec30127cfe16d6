#pragma once

#include <sys/types.h>

#include <csignal>

namespace gktune {

// Tells a process that kills itself from one that something outside kills: from now on this process, and
// those that it starts, end with kOwnKillSignal when they send SIGKILL to it, to its group or to `parent`.
// Does nothing on systems without such filters.
void mark_own_kills(pid_t parent);

inline constexpr int kOwnKillSignal = SIGSYS;  // the signal of such filters

}  // namespace gktune
