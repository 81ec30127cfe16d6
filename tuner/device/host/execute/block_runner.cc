#include "tuner/device/host/execute/block_runner.h"

#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "tuner/device/host/execute/launch.h"
#include "tuner/device/host/sanitize/memory_watch.h"

// Compiled code addresses it in the static block of thread storage. This library has to say so as well, or
// else the loader places it elsewhere when a program opens the library late, and the compiled code cannot be
// loaded.
__attribute__((tls_model("initial-exec"))) __thread gktune::kernel::ThreadState gktune_thread = {};

namespace gktune {
namespace {

using kernel::WarpOp;

unsigned long long combine(WarpOp op, unsigned long long a, unsigned long long b) {
  switch (op) {
    case WarpOp::add:
      return a + b;
    case WarpOp::min_signed:
      return static_cast<long long>(a) < static_cast<long long>(b) ? a : b;
    case WarpOp::max_signed:
      return static_cast<long long>(a) > static_cast<long long>(b) ? a : b;
    case WarpOp::min_unsigned:
      return a < b ? a : b;
    case WarpOp::max_unsigned:
      return a > b ? a : b;
    case WarpOp::bit_and:
      return a & b;
    case WarpOp::bit_or:
      return a | b;
    case WarpOp::bit_xor:
      return a ^ b;
    default:
      return a;
  }
}

}  // namespace

std::optional<unsigned> find_absent_source(const LaneWait* waits, unsigned lanes) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes));
  if (waits[first].op != WarpOp::shuffle) return std::nullopt;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if ((lanes >> waits[lane].argument & 1) == 0) return lane;
  }
  return std::nullopt;
}

void compute_warp_results(LaneWait* waits, unsigned lanes) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes));
  const WarpOp op = waits[first].op;
  switch (op) {
    case WarpOp::sync:
      return;
    case WarpOp::converge:
      return for_each_lane(lanes, [&](unsigned lane) { waits[lane].result = lanes; });
    case WarpOp::shuffle:
      return for_each_lane(lanes,
                           [&](unsigned lane) { waits[lane].result = waits[waits[lane].argument].value; });
    case WarpOp::match_any:
      return for_each_lane(lanes, [&](unsigned lane) {
        waits[lane].result = 0;
        for_each_lane(lanes, [&](unsigned other) {
          if (waits[other].value == waits[lane].value) waits[lane].result |= 1u << other;
        });
      });
    default:
      break;
  }

  // The rest give every lane the same.
  unsigned long long result = op == WarpOp::ballot ? 0 : op == WarpOp::match_all ? lanes : waits[first].value;
  for_each_lane(lanes, [&](unsigned lane) {
    if (op == WarpOp::ballot) {
      result |= (waits[lane].value != 0 ? 1ull : 0ull) << lane;
    } else if (op == WarpOp::match_all) {
      if (waits[lane].value != waits[first].value) result = 0;
    } else if (lane != first) {
      result = combine(op, result, waits[lane].value);
    }
  });
  for_each_lane(lanes, [&](unsigned lane) { waits[lane].result = result; });
}

namespace {

thread_local BlockRunner* current_runner = nullptr;

bool same_site(kernel::Site a, kernel::Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace

// Kernels call these. They forward to the runner of the thread.
struct EngineServices {
  static int barrier(kernel::BarrierOp op, int predicate, kernel::Site site) {
    return current_runner->barrier(op, predicate, site,
                                   {__builtin_return_address(0), __builtin_frame_address(0)});
  }
  static unsigned long long warp(kernel::WarpOp op, unsigned mask, unsigned long long value,
                                 unsigned argument, kernel::Site site) {
    return current_runner->warp(op, mask, value, argument, site);
  }
  static void park(void* stack) { current_runner->park(*static_cast<BlockRunner::Fiber*>(stack)); }
  static void yield() { current_runner->yield(); }
  static void thread_returned() { current_runner->thread_returned(); }
  __attribute__((noreturn)) static void abort(const char* what, kernel::Site site) {
    current_runner->fail_at(Status::aborted, what, gktune_thread.self, site);
  }
  static unsigned long long clock() {
    return static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  static void grid_barrier(kernel::Site site) { current_runner->grid_barrier(site); }
  static void access(const void* address, unsigned long bytes, kernel::AccessKind kind,
                     kernel::CodePlace place) {
    current_runner->access(address, bytes, kind, place);
  }
  static void acquire() { current_runner->launch_->watch->order().acquire(gktune_thread.self.rank); }
  static void release() { current_runner->launch_->watch->order().release(gktune_thread.self.rank); }
  static void fence() { current_runner->launch_->watch->order().fence(gktune_thread.self.rank); }
  __attribute__((noreturn)) static void fault(kernel::DetectedFault kind, const char* what,
                                              kernel::CodePlace place) {
    current_runner->fail_detected(kind, what, place);
  }
  static constexpr kernel::Services kTable{barrier, warp,  yield,        park,   thread_returned,
                                           abort,   clock, grid_barrier, access, acquire,
                                           release, fence, fault};
};

// Switches go through these functions. They are inlined for the reason that switch_context states.
#define GKTUNE_INLINE __attribute__((always_inline)) inline

GKTUNE_INLINE FiberContext BlockRunner::take_fiber() {
  if (free_fibers_ == nullptr) make_fiber();
  Fiber& fiber = *free_fibers_;
  free_fibers_ = fiber.next;
  starting_ = &fiber;
  // Its old code may be unloaded by now.
  if (fiber.launch != launch_number_) clear(fiber);
  return fiber.context;
}

GKTUNE_INLINE FiberContext BlockRunner::pick() {
  if (ready_.empty()) {
    if (gktune_thread.next < gktune_thread.count) return take_fiber();
    if (!resolve_standstill()) fail_standstill();
  }
  Thread& next = ready_.pop();
  next.state = State::running;
  gktune_thread.self = next.self;
  return next.context;
}

GKTUNE_INLINE void BlockRunner::wait(Thread& thread, State state) {
  thread.state = state;
  // A thread picks itself only at a standstill or when it yields alone. It has no context to resume then.
  thread.context = nullptr;
  if (const FiberContext to = pick()) switch_context(to, &thread.context);
}

void BlockRunner::park(Fiber& fiber) {
  fiber.next = free_fibers_;
  free_fibers_ = &fiber;
  const bool is_over = !gktune_thread.is_watching_returns || returned_ == gktune_thread.count;
  const FiberContext to = is_over ? home_ : pick();
  switch_context(to, &fiber.context);
}

BlockRunner::BlockRunner(std::size_t stack_bytes) : stacks_(stack_bytes) {
  // Allocate the first stack now: failures need a thread to be reported from.
  if (stacks_.top(0) == nullptr) throw std::bad_alloc();
  make_fiber();
}

BlockRunner::~BlockRunner() = default;

BlockRunner* BlockRunner::current() { return current_runner; }

void BlockRunner::begin(const KernelLaunch& launch) {
  launch_ = &launch;
  ++launch_number_;
  const std::uint32_t count = launch.thread_orders->count();
  const kernel::ThreadIndex* order = launch.thread_orders->of_block(0);
  for (std::uint32_t i = 0; i < count; ++i) threads_[order[i].rank].self = order[i];

  current_runner = this;
  kernel::ThreadState& state = gktune_thread;
  state.block_dim = launch.block;
  state.grid_dim = launch.grid;
  state.dynamic_shared = shared_.take(launch.shared_bytes);
  state.dynamic_shared_bytes = launch.shared_bytes;
  state.count = count;
  state.is_cooperative = launch.grid_barrier != nullptr;
  state.services = &EngineServices::kTable;
  if (launch.watch != nullptr) launch.watch->begin_launch(launch, shared_, stacks_);
}

void BlockRunner::end() { current_runner = nullptr; }

std::optional<Failure> BlockRunner::run(std::uint64_t position) {
  const std::uint64_t block = launch_->block_order.at(position);
  kernel::ThreadState& state = gktune_thread;
  state.block_index = launch_->block_index(block);
  state.order = launch_->thread_orders->of_block(block);
  state.next = 0;
  state.is_watching_returns = false;
  arrived_ = 0;
  returned_ = 0;
  ready_ = at_barrier_ = Queue();

  if (launch_->watch != nullptr) launch_->watch->begin_block(block);
  switch_context(take_fiber(), &home_);
  if (launch_->watch != nullptr) fault_ = launch_->watch->end_block(std::move(fault_));
  if (fault_) {
    forget_threads();
    return std::exchange(fault_, std::nullopt);
  }
  return std::nullopt;
}

void BlockRunner::make_fiber() {
  const std::size_t index = fibers_.size();
  void* top = stacks_.top(index);
  if (top == nullptr) fail(Status::out_of_memory, "no memory for the stacks of a block's threads");
  fibers_.push_back(std::make_unique<Fiber>(Fiber{nullptr, free_fibers_, index, 0}));
  free_fibers_ = fibers_.back().get();
}

void BlockRunner::reserve_stacks(std::size_t count) {
  constexpr std::ptrdiff_t kTouched = 1024;  // most threads use no more
  while (fibers_.size() < count) {
    auto* const top = static_cast<volatile std::byte*>(stacks_.top(fibers_.size()));
    if (top == nullptr) return;  // the block that needs it reports that
    top[-1] = std::byte{};
    top[-kTouched] = std::byte{};
    make_fiber();
  }
}

void BlockRunner::fiber_main() {
  BlockRunner& runner = *current_runner;
  runner.launch_->entry->run(runner.launch_->arguments, runner.starting_);
  __builtin_unreachable();
}

// Resets the fiber to the start of its stack.
void BlockRunner::clear(Fiber& fiber) {
  fiber.context = make_context<fiber_main>(stacks_.top(fiber.stack), stacks_.size_bytes() / 2);
  fiber.launch = launch_number_;
}

void BlockRunner::forget_threads() {
  free_fibers_ = nullptr;
  for (const std::unique_ptr<Fiber>& fiber : fibers_) {
    fiber->launch = 0;
    fiber->next = free_fibers_;
    free_fibers_ = fiber.get();
  }
  for (Thread& thread : threads_) thread.state = State::running;
}

void BlockRunner::watch_returns() {
  kernel::ThreadState& state = gktune_thread;
  state.is_watching_returns = true;
  for (unsigned w = 0; w * 32 < state.count; ++w) {
    const unsigned lanes = state.count - w * 32;
    warps_[w] = {lanes >= 32 ? ~0u : (1u << lanes) - 1, 0};
  }
  // All threads started before the running one have returned.
  returned_ = state.next - 1;
  for (unsigned i = 0; i < returned_; ++i) {
    const unsigned rank = state.order[i].rank;
    warps_[rank / 32].live &= ~(1u << rank % 32);
  }
}

// Optimised code may have several calls for one in the source; instrumented code is not optimised.
bool BlockRunner::is_same_barrier(const Thread& a, const Thread& b) const {
  return same_site(a.site, b.site) &&
         (launch_->watch == nullptr || !launch_->watch->find_different_calls(a.call, b.call));
}

int BlockRunner::barrier(kernel::BarrierOp op, int predicate, kernel::Site site, kernel::CodePlace call) {
  if (!gktune_thread.is_watching_returns) watch_returns();
  Thread& thread = threads_[gktune_thread.self.rank];
  thread.site = site;
  thread.call = call;
  if (arrived_ == 0) {
    predicates_ = 0;
    barrier_op_ = op;
  } else if (!is_same_barrier(thread, *at_barrier_.first)) {
    fail_different_barriers(thread);
  }
  predicates_ += predicate;
  ++arrived_;
  if (!complete_barrier()) {
    at_barrier_.push(thread);
    wait(thread, State::at_barrier);
  }
  return barrier_result_;
}

// A barrier waits for the threads that have not returned.
bool BlockRunner::complete_barrier() {
  if (arrived_ == 0 || arrived_ + returned_ < gktune_thread.count) return false;
  if (launch_->watch != nullptr) launch_->watch->order().barrier();
  barrier_result_ = barrier_op_ == kernel::BarrierOp::count ? predicates_
                    : barrier_op_ == kernel::BarrierOp::all ? predicates_ == static_cast<int>(arrived_)
                    : barrier_op_ == kernel::BarrierOp::any ? predicates_ > 0
                                                            : 0;
  arrived_ = 0;
  ready_.append(at_barrier_);
  return true;
}

void BlockRunner::grid_barrier(kernel::Site site) {
  if (launch_->grid_barrier == nullptr) {
    fail_at(Status::barrier_divergence, "a barrier over the grid in a launch that is not cooperative",
            gktune_thread.self, site);
  }
  if (!launch_->grid_barrier->wait()) {
    fail_at(Status::barrier_divergence,
            "a barrier over the grid that another block misses, having ended before it", gktune_thread.self,
            site);
  }
}

unsigned long long BlockRunner::warp(kernel::WarpOp op, unsigned mask, unsigned long long value,
                                     unsigned argument, kernel::Site site) {
  if (!gktune_thread.is_watching_returns) watch_returns();
  const unsigned rank = gktune_thread.self.rank;
  Thread& thread = threads_[rank];
  LaneWait& lane = lanes_[rank];
  Warp& warp = warps_[rank / 32];
  const unsigned bit = 1u << rank % 32;
  thread.site = site;
  lane = {op, mask, value, argument, 0};
  State state = State::converging;
  if (op != kernel::WarpOp::converge) {
    if ((mask & bit) == 0) fail_own_mask(thread, mask);
    warp.waiting |= bit;
    state = State::in_warp;
    if ((mask & warp.live & ~warp.waiting) == 0 && complete_warp(rank / 32, mask, &thread))
      return lane.result;
  }
  wait(thread, state);
  return lane.result;
}

// Completes the warp operation of these lanes if all live ones have arrived.
bool BlockRunner::complete_warp(unsigned w, unsigned mask, const Thread* running) {
  const unsigned needed = mask & warps_[w].live;
  if ((warps_[w].waiting & needed) != needed || needed == 0) return false;
  const LaneWait& first = lanes_[w * 32 + static_cast<unsigned>(__builtin_ctz(needed))];
  for (unsigned left = needed; left != 0; left &= left - 1) {
    const LaneWait& lane = lanes_[w * 32 + static_cast<unsigned>(__builtin_ctz(left))];
    if (lane.mask != mask || lane.op != first.op) return false;
  }
  complete_lanes(w, needed, running);
  return true;
}

void BlockRunner::complete_lanes(unsigned w, unsigned lanes, const Thread* running) {
  LaneWait* const waits = &lanes_[w * 32];
  if (const std::optional<unsigned> reader = find_absent_source(waits, lanes)) {
    fail_absent_source(threads_[w * 32 + *reader], waits[*reader].argument);
  }
  compute_warp_results(waits, lanes);
  const bool is_meeting = waits[__builtin_ctz(lanes)].op != kernel::WarpOp::converge;
  if (launch_->watch != nullptr && is_meeting) launch_->watch->order().meet(w, lanes);
  warps_[w].waiting &= ~lanes;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    Thread& thread = threads_[w * 32 + static_cast<unsigned>(__builtin_ctz(left))];
    if (&thread == running) continue;
    thread.state = State::ready;
    ready_.push(thread);
  }
}

void BlockRunner::access(const void* address, std::size_t bytes, kernel::AccessKind kind,
                         kernel::CodePlace place) {
  const unsigned rank = gktune_thread.self.rank;
  last_access_ = judged_access_ = place.code;
  auto fault = launch_->watch->access(rank, address, bytes, kind, place);
  judged_access_ = nullptr;
  if (fault) fail(fault->status, std::move(fault->message));
}

void BlockRunner::yield() {
  const bool is_unstarted = gktune_thread.next < gktune_thread.count;
  if (ready_.empty() && !is_unstarted) return;
  if (!gktune_thread.is_watching_returns) watch_returns();
  Thread& thread = threads_[gktune_thread.self.rank];
  if (is_unstarted) {
    // This thread may wait for one that has not started.
    thread.state = State::ready;
    const FiberContext to = take_fiber();
    ready_.push(thread);
    switch_context(to, &thread.context);
  } else {
    ready_.push(thread);
    wait(thread, State::ready);
  }
}

void BlockRunner::thread_returned() {
  const unsigned rank = gktune_thread.self.rank;
  ++returned_;
  complete_barrier();
  Warp& warp = warps_[rank / 32];
  warp.live &= ~(1u << rank % 32);
  // Lanes may have waited for this one.
  for (unsigned left = warp.waiting; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if ((warp.waiting >> lane & 1) != 0)
      complete_warp(rank / 32, lanes_[rank / 32 * 32 + lane].mask, nullptr);
  }
}

// No thread can run. Answer the lanes that wait to converge: no others will arrive.
bool BlockRunner::resolve_standstill() {
  for (unsigned rank = 0; rank < gktune_thread.count; ++rank) {
    const Thread& first = threads_[rank];
    if (first.state != State::converging) continue;
    const unsigned w = rank / 32;
    unsigned lanes = 0;
    for (unsigned lane = rank % 32; lane < 32 && w * 32 + lane < gktune_thread.count; ++lane) {
      const Thread& other = threads_[w * 32 + lane];
      if (other.state == State::converging && same_site(other.site, first.site)) lanes |= 1u << lane;
    }
    complete_lanes(w, lanes, nullptr);
    return true;
  }
  return false;
}

}  // namespace gktune
