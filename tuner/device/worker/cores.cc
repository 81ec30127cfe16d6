#include "tuner/device/worker/cores.h"

#include <algorithm>
#include <thread>

namespace gktune {

std::vector<int> own_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

unsigned own_core_count() {
  const std::vector<int> cores = own_cores();
  return cores.empty() ? std::max(1u, std::thread::hardware_concurrency())
                       : static_cast<unsigned>(cores.size());
}

void keep_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

PinnedHere::PinnedHere(int core) {
  CPU_ZERO(&before_);
  ::sched_getaffinity(0, sizeof before_, &before_);
  keep_to(core);
}

PinnedHere::~PinnedHere() {
  if (CPU_COUNT(&before_) > 0) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace gktune
