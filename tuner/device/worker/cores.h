#pragma once

#include <sched.h>

#include <vector>

namespace gktune {

// The cores that the calling thread, and those that it starts, may run on; none where the system does not
// say.
std::vector<int> own_cores();

// How many of them there are; where the system does not say, how many the machine has.
unsigned own_core_count();

// Keeps the calling thread on one core. Where the system refuses, it goes on as it was. A thread does that
// itself: of one that has ended, the system would take its caller instead.
void keep_to(int core);

// Keeps the calling thread on one core for as long as it lives.
class PinnedHere {
 public:
  explicit PinnedHere(int core);
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;
  ~PinnedHere();

  // Whether the system did as it was asked, and does so still.
  bool holds() const;

 private:
  int core_;
  cpu_set_t before_;
};

}  // namespace gktune
