#pragma once

#include <sys/types.h>

#include <csignal>
#include <span>
#include <string>
#include <string_view>

namespace gktune {

// A job or a compiler that something outside kills this many times in a row is given up.
inline constexpr int kMostAttempts = 4;

// Says why work is given up whose last attempt ended in this way.
std::string outside_kills_text(std::string_view ending);

// Tells a process that kills itself from one that something outside kills, and keeps it from its parents:
// from now on this process, and those that it starts, end with kFilterSignal when they send SIGKILL to it, or
// any signal to its group or to one of `parents`, or trace a process, or access the memory of another one.
// Does nothing on systems without such filters.
void keep_from(std::span<const pid_t> parents);

inline constexpr int kFilterSignal = SIGSYS;

}  // namespace gktune
