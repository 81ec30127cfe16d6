// Measures the switch between the threads of a block on a CPU: 256 fibers, as at a barrier of a block,
// switch to the next one in turn. The program fiber_switch has this processor's own switch,
// fiber_switch_boost that of Boost.Context.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tuner/device/host/execute/block_memory.h"
#include "tuner/device/host/execute/fiber_context.h"

namespace {

using namespace gktune;

constexpr std::size_t kFibers = 256;
constexpr std::size_t kStackBytes = std::size_t{64} << 10;
constexpr std::int64_t kBarriers = 4'000;
constexpr int kRounds = 21;

std::array<FiberContext, kFibers> contexts;
FiberContext home;
std::size_t running = 0;

// A barrier as a kernel has it: a call that returns after the other threads have had their turn.
[[gnu::noinline]] void barrier() {
  const std::size_t own = running;
  running = (own + 1) % kFibers;
  switch_context(contexts[running], &contexts[own]);
}

void run_fiber() {
  for (;;) {
    for (std::int64_t i = 0; i < kBarriers; ++i) barrier();
    // The first fiber is the first to end a round; the others are where it left them.
    if (running == 0) switch_context(home, &contexts[0]);
  }
}

double round_ns() {
  const auto begin = std::chrono::steady_clock::now();
  switch_context(contexts[0], &home);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / static_cast<double>(kBarriers * static_cast<std::int64_t>(kFibers));
}

}  // namespace

int main() {
  StackPool stacks(kStackBytes);
  for (std::size_t i = 0; i < kFibers; ++i) {
    void* const top = stacks.top(i);
    if (top == nullptr) return 1;
    contexts[i] = make_context<run_fiber>(top, kStackBytes / 2);
  }
  std::vector<double> rounds;
  for (int i = 0; i < kRounds; ++i) rounds.push_back(round_ns());
  std::ranges::sort(rounds);
  std::printf("a barrier of a thread: %.1f ns at best, median %.1f ns of %d rounds\n", rounds.front(),
              rounds[kRounds / 2], kRounds);
}
