#pragma once

#include <sys/prctl.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gktune/result.h"

namespace gktune {

// The files and folders that this process and its children may use from enter_sandbox() on.
struct Sandbox {
  std::vector<std::filesystem::path> readable;  // and programs there may be executed; missing ones are ignored
  std::vector<std::filesystem::path> writable;
};

// The folders of the system: programs, libraries, devices, descriptions of processes and processors.
std::vector<std::filesystem::path> system_folders();

// Why the system cannot enforce a sandbox.
Result<void> check_sandbox();
// Forbids all other files (Landlock) and new sockets (seccomp), for good. Sockets that are open stay so. After
// an error nothing may be trusted to be forbidden.
Result<void> enter_sandbox(const Sandbox& sandbox);
// In a sandbox: ends this process by SIGSYS when it starts another process or program (seccomp), for good.
// Threads may start.
Result<void> forbid_processes();

// While it lives, no other process of the user can trace this one or open its memory, and it leaves no core
// dump. Root's processes can, if they may trace.
class ClosedMemory {
 public:
  ClosedMemory() { ::prctl(PR_SET_DUMPABLE, 0); }
  ClosedMemory(const ClosedMemory&) = delete;
  ClosedMemory& operator=(const ClosedMemory&) = delete;
  ~ClosedMemory() { open(); }
  void open() { ::prctl(PR_SET_DUMPABLE, was_dumpable_); }

 private:
  int was_dumpable_ = ::prctl(PR_GET_DUMPABLE);
};

}  // namespace gktune
