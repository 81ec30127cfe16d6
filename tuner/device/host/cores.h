#pragma once

#include <pthread.h>
#include <sched.h>

#include <vector>

namespace gktune {

// The cores that the calling thread, and those that it starts, may run on; none where the system does not
// say.
std::vector<int> own_cores();

// Keeps a thread on one core. Where the system refuses, it goes on as it was.
void pin_thread(pthread_t thread, int core);

// Keeps the calling thread on one core for as long as it lives.
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
