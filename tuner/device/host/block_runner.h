#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/device/host/fault.h"
#include "tuner/device/host/fiber.h"
#include "tuner/device/host/launch.h"
#include "tuner/device/host/shared_memory.h"
#include "tuner/device/host/warp_result.h"

namespace gktune {

// Runs blocks, one at a time, on the operating system's thread that it lives on. A block's threads share one
// stack until one of them has to wait; it keeps that stack then, and the rest go on with another one.
class BlockRunner {
 public:
  static constexpr unsigned kMaxThreads = 1024;

  explicit BlockRunner(std::size_t stack_bytes);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;
  ~BlockRunner();

  // Readies the calling thread, which is to be the same for `run`.
  void begin(const KernelLaunch& launch);
  // Runs the block that is `position`-th in the launch's order.
  std::optional<Fault> run(std::uint64_t position);
  void end();

  // The one whose kernel runs on the calling thread, or null.
  static BlockRunner* current();
  const StackPool& stacks() const { return stacks_; }
  const SharedMemory& shared_memory() const { return shared_; }

 private:
  friend struct EngineServices;

  static constexpr unsigned kWarps = kMaxThreads / 32;

  enum class State : std::uint8_t { running, ready, at_barrier, in_warp, converging };

  // A thread of the block. What a switch touches comes first.
  struct Thread {
    Context context;
    Thread* next;
    kernel::ThreadIndex self;
    kernel::Site site;
    State state;
  };

  struct Warp {
    unsigned live = 0;     // lanes that exist and have not returned
    unsigned waiting = 0;  // lanes that wait for others of the warp
  };

  struct Fiber {
    Context context = nullptr;
    std::size_t stack = 0;
  };

  // First in, first out.
  struct Queue {
    Thread* first = nullptr;
    Thread* last = nullptr;
    bool empty() const { return first == nullptr; }
    void push(Thread& thread);
    void append(Queue& other);
    Thread& pop();
  };

  int barrier(kernel::BarrierOp op, int predicate, kernel::Site site);
  unsigned long long warp(kernel::WarpOp op, unsigned mask, unsigned long long value, unsigned argument,
                          kernel::Site site);
  void yield();
  void thread_returned();

  void watch_returns();
  // Lets another thread go on until this one is made ready again.
  void wait(Thread& thread, State state);
  // Goes on with whatever can go on; where the caller is to be resumed is saved in *from.
  void leave(Context* from, const Thread* leaving);
  void go_to(Thread& thread, Context* from);
  void start_fiber(Context* from);
  bool resolve_standstill();
  bool complete_warp(unsigned warp, unsigned mask, const Thread* running);
  void complete_lanes(unsigned warp, unsigned lanes, const Thread* running);
  [[noreturn]] void fiber_loop(Fiber& fiber);
  static void fiber_main(boost::context::detail::transfer_t came);

  [[noreturn]] void fail(Status status, std::string message);
  [[noreturn]] void fail_at(Status status, std::string_view what, const kernel::ThreadIndex& thread,
                            kernel::Site site);
  [[noreturn]] void fail_missed_barrier(const Thread& waiting);
  [[noreturn]] void fail_standstill();
  std::string describe_wait(const Thread& thread) const;
  void forget_fibers();

  StackPool stacks_;
  SharedMemory shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_fibers_;
  Fiber* starting_ = nullptr;
  Context home_ = nullptr;

  const KernelLaunch* launch_ = nullptr;
  std::vector<Thread> threads_;  // by rank
  std::vector<LaneWait> lanes_;  // by rank
  std::array<Warp, kWarps> warps_;
  Queue ready_, at_barrier_;
  unsigned arrived_ = 0;
  int predicates_ = 0, barrier_result_ = 0;
  unsigned returned_ = 0;
  kernel::ThreadIndex first_returned_{};
  std::optional<Fault> fault_;
};

}  // namespace gktune
