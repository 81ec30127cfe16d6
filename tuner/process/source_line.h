#pragma once

#include <sys/types.h>

#include <cstddef>

namespace gktune {

// Writes the source lines of the code at this offset of a module, "0x1a2b", as the system's addr2line prints
// them, from the innermost inlined function out. Returns how many bytes there are. Allocates nothing, so that
// a signal handler can call it.
std::size_t find_lines(const char* module, const char* offset, char* output, std::size_t size) noexcept;

// From now on find_lines() asks the process at the other end of this SOCK_SEQPACKET socket to run addr2line,
// since this one may have no right to start programs, or be damaged.
void ask_for_lines(int socket) noexcept;
// Takes a question at the other end, and starts a process that answers it. Returns its number; 0: none was
// needed; -1: there will be no more questions.
pid_t answer_for_lines(int socket) noexcept;

}  // namespace gktune
