#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/device/failure.h"
#include "tuner/device/host/execute/block_memory.h"
#include "tuner/device/host/execute/fiber_context.h"
#include "tuner/device/host/execute/launch.h"
#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

// The operands and the result of a lane in an operation of its warp.
struct LaneWait {
  kernel::WarpOp op;
  unsigned mask;
  unsigned long long value;
  unsigned argument;
  unsigned long long result;
};

// Finds a lane of a shuffle that reads from a lane outside the mask.
std::optional<unsigned> find_absent_source(const LaneWait* waits, unsigned lanes);

// The results of the lanes in the mask, all of which do the same operation.
void compute_warp_results(LaneWait* waits, unsigned lanes);

// Runs blocks one at a time on one thread of the operating system. A block's threads share one stack until
// one of them has to wait. It keeps that stack, and the others continue on another one.
class BlockRunner {
 public:
  static constexpr unsigned kMaxThreads = 1024;

  explicit BlockRunner(std::size_t stack_bytes);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;
  ~BlockRunner();

  // Prepares the calling thread. Call `run` from the same one.
  void begin(const KernelLaunch& launch);
  // Runs the block that is `position`-th in the launch's order.
  std::optional<Failure> run(std::uint64_t position);
  void end();

  std::size_t stack_count() const { return fibers_.size(); }
  // Makes so many stacks and touches their memory, so that no block has to wait for it.
  void reserve_stacks(std::size_t count);

  // The runner of the calling thread's kernel, or null.
  static BlockRunner* current();
  const StackPool& stacks() const { return stacks_; }
  // The code that last announced an access; null before the first access.
  const void* last_access() const { return last_access_; }
  // The code whose access is being judged, if one is.
  const void* judged_access() const { return judged_access_; }
  const SharedMemory& shared_memory() const { return shared_; }

 private:
  friend struct EngineServices;

  static constexpr unsigned kWarps = kMaxThreads / 32;

  enum class State : std::uint8_t { running, ready, at_barrier, in_warp, converging };

  // A thread of the block.
  struct alignas(64) Thread {
    FiberContext context;
    Thread* next;
    kernel::ThreadIndex self;
    kernel::Site site;
    kernel::CodePlace call{};  // of a barrier
    State state = State::running;
  };

  struct Warp {
    unsigned live = 0;     // lanes that exist and have not returned
    unsigned waiting = 0;  // lanes that wait for others of the warp
  };

  struct Fiber {
    FiberContext context = nullptr;
    Fiber* next = nullptr;
    std::size_t stack = 0;
    std::uint64_t launch = 0;  // that the context belongs to
  };

  // First in, first out.
  struct Queue {
    Thread* first = nullptr;
    Thread* last = nullptr;
    bool empty() const { return first == nullptr; }
    void push(Thread& thread) {
      thread.next = nullptr;
      (first == nullptr ? first : last->next) = &thread;
      last = &thread;
    }
    void append(Queue& other) {
      if (other.empty()) return;
      (first == nullptr ? first : last->next) = other.first;
      last = other.last;
      other = Queue();
    }
    Thread& pop() {
      Thread& thread = *first;
      first = thread.next;
      return thread;
    }
  };

  int barrier(kernel::BarrierOp op, int predicate, kernel::Site site, kernel::CodePlace call);
  // Lets the threads at the barrier go if it waits for no more of them.
  bool complete_barrier();
  bool is_same_barrier(const Thread& a, const Thread& b) const;
  void grid_barrier(kernel::Site site);
  unsigned long long warp(kernel::WarpOp op, unsigned mask, unsigned long long value, unsigned argument,
                          kernel::Site site);
  void yield();
  void access(const void* address, std::size_t bytes, kernel::AccessKind kind, kernel::CodePlace place);
  void thread_returned();

  void watch_returns();
  // Runs other threads until this one is ready again.
  void wait(Thread& thread, State state);
  // The context to run next: a ready thread, or a stack to start others on; null: the calling thread itself.
  FiberContext pick();
  FiberContext take_fiber();
  void park(Fiber& fiber);
  void make_fiber();
  void clear(Fiber& fiber);
  bool resolve_standstill();
  bool complete_warp(unsigned warp, unsigned mask, const Thread* running);
  void complete_lanes(unsigned warp, unsigned lanes, const Thread* running);
  [[noreturn]] static void fiber_main();

  [[noreturn]] void fail(Status status, std::string message);
  [[noreturn]] void fail_at(Status status, std::string_view what, const kernel::ThreadIndex& thread,
                            kernel::Site site);
  [[noreturn]] void fail_detected(kernel::DetectedFault fault, std::string_view what,
                                  kernel::CodePlace place);
  [[noreturn]] void fail_different_barriers(const Thread& late);
  [[noreturn]] void fail_own_mask(const Thread& thread, unsigned mask);
  [[noreturn]] void fail_absent_source(const Thread& reader, unsigned source);
  [[noreturn]] void fail_standstill();
  std::string describe_wait(const Thread& thread) const;
  void forget_threads();

  StackPool stacks_;
  SharedMemory shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* free_fibers_ = nullptr;
  Fiber* starting_ = nullptr;
  FiberContext home_ = nullptr;

  const KernelLaunch* launch_ = nullptr;
  std::uint64_t launch_number_ = 0;
  std::array<Thread, kMaxThreads> threads_;  // by rank
  std::array<LaneWait, kMaxThreads> lanes_;  // by rank
  std::array<Warp, kWarps> warps_;
  Queue ready_, at_barrier_;
  unsigned arrived_ = 0;
  kernel::BarrierOp barrier_op_{};
  int predicates_ = 0, barrier_result_ = 0;
  unsigned returned_ = 0;
  std::optional<Failure> fault_;
  const void* last_access_ = nullptr;
  const void* judged_access_ = nullptr;
};

}  // namespace gktune
