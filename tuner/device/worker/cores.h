#pragma once

#include <sched.h>

#include <vector>

namespace gktune {

// The cores that the calling thread and those it starts may use; empty if the system does not say.
std::vector<int> own_cores();

// Their number, or the machine's if the system does not say.
unsigned own_core_count();

// Binds the calling thread to one core, if the system allows. A thread binds itself: for the number of an
// ended thread the system would bind the caller.
void keep_to(int core);

// Binds the calling thread to one core while this object lives.
class PinnedHere {
 public:
  explicit PinnedHere(int core);
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;
  ~PinnedHere();

 private:
  cpu_set_t before_;
};

}  // namespace gktune
