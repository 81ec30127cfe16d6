#pragma once

#include <csignal>
#include <string_view>

#include "tuner/core/trial.h"

namespace gktune {

// What a worker process says of itself, unasked. All of it is safe in a signal handler, and none of it does
// anything in a process that serves no parent.

// What a run worker gets when it overstays its limit: where it is may be its last words, as a fault of the
// status timed_out.
constexpr int kQuestionSignal = SIGXCPU;

// Where a job is. Each beginning of a phase gives it a time limit of its own; the parent ends what overstays.
enum class Phase : unsigned char { setup, reference, check, timing };

// The channel to the parent; -1: there is none.
void set_report_channel(int socket) noexcept;

void report_phase(Phase phase) noexcept;

// The last words of a process that is about to die: what its trial will say. A long message is cut.
void report_fault(Status status, std::string_view message) noexcept;

}  // namespace gktune
