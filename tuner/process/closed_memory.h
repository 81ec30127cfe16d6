#pragma once

#include <sys/prctl.h>

namespace gktune {

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
