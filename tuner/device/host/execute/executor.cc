#include "tuner/device/host/execute/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/device/host/execute/block_runner.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/host/execute/launch.h"
#include "tuner/device/worker/cores.h"

namespace gktune {
namespace {

// A cooperative launch has a thread of the operating system for each block.
constexpr std::int64_t kMostCooperativeBlocks = 128;

std::optional<std::string> refusal(const LaunchShape& shape, const ExecutionSettings& settings) {
  const std::int64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (threads > BlockRunner::kMaxThreads) {
    return fmt::format("a block of {} threads: {} are possible", threads, BlockRunner::kMaxThreads);
  }
  if (shape.shared_bytes < 0 || shape.shared_bytes > static_cast<std::int64_t>(SharedMemory::kMaxBytes)) {
    return fmt::format("{} bytes of dynamic shared memory: {} are possible", shape.shared_bytes,
                       SharedMemory::kMaxBytes);
  }
  const std::int64_t blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
  if (shape.attributes.is_cooperative && blocks > kMostCooperativeBlocks) {
    return fmt::format("a cooperative grid of {} blocks: the host device runs {} of them at once", blocks,
                       kMostCooperativeBlocks);
  }
  if (shape.attributes.is_cooperative && settings.watch != nullptr)
    return "a cooperative launch: instrumented kernels run one block after the other";
  return std::nullopt;
}

kernel::dim3 to_dim3(const std::array<std::int64_t, 3>& v) {
  return {static_cast<unsigned>(v[0]), static_cast<unsigned>(v[1]), static_cast<unsigned>(v[2])};
}

// A kernel of one thread per block. The blocks wait for each other.
void run_meeting(void* const*, void* stack) {
  for (;;) {
    gktune_thread.next = gktune_thread.count;
    gktune_thread.services->grid_barrier({});
    gktune_thread.services->park(stack);
  }
}

}  // namespace

// The launching thread is the first. The others are bound to one core each.
class Executor::Threads {
 public:
  Threads(unsigned threads, std::size_t stack_bytes, const std::vector<int>& cores) {
    for (unsigned i = 0; i < threads; ++i) runners_.push_back(std::make_unique<BlockRunner>(stack_bytes));
    for (unsigned i = 1; i < threads; ++i) {
      threads_.emplace_back([this, i, cores] {
        if (!cores.empty()) keep_to(cores[i % cores.size()]);
        serve(*runners_[i]);
      });
    }
  }

  std::size_t count() const { return runners_.size(); }

  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::optional<Failure> run(const KernelLaunch& launch) {
    const std::uint64_t count = launch.block_order.count;
    next_ = 0;
    fault_.reset();
    // Few chunks cost little; enough of them let the threads finish together. Each thread runs one block of a
    // cooperative launch.
    chunk_ = std::max<std::uint64_t>(1, count / (runners_.size() * 32));
    const bool is_shared = !threads_.empty() && count > 1;
    if (is_shared) {
      {
        const std::lock_guard lock(mutex_);
        launch_ = &launch;
        ++generation_;
        working_ = threads_.size();
      }
      wake_.notify_all();
    }
    work(launch, *runners_.front());
    if (is_shared) {
      std::unique_lock lock(mutex_);
      idle_.wait(lock, [this] { return working_ == 0; });
    }
    return std::move(fault_);
  }

 private:
  void serve(BlockRunner& runner) {
    const FaultStack fault_stack;
    std::uint64_t seen = 0;
    for (;;) {
      const KernelLaunch* launch = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return is_ending_ || generation_ != seen; });
        if (is_ending_) return;
        seen = generation_;
        launch = launch_;
      }
      work(*launch, runner);
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) idle_.notify_one();
    }
  }

  void work(const KernelLaunch& launch, BlockRunner& runner) {
    const std::uint64_t count = launch.block_order.count;
    runner.reserve_stacks(most_stacks_);
    runner.begin(launch);
    for (;;) {
      const std::uint64_t first = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (first >= count) break;
      for (std::uint64_t i = first; i < std::min(count, first + chunk_); ++i) {
        std::optional<Failure> fault = runner.run(i);
        const bool has_failed = fault.has_value();
        if (has_failed) keep(*std::move(fault));
        if (launch.grid_barrier != nullptr) launch.grid_barrier->leave();
        if (!has_failed) continue;
        next_.store(count, std::memory_order_relaxed);
        break;
      }
    }
    runner.end();
    std::size_t most = most_stacks_;
    while (runner.stack_count() > most && !most_stacks_.compare_exchange_weak(most, runner.stack_count())) {
    }
  }

  void keep(Failure fault) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(fault);
  }

  std::vector<std::unique_ptr<BlockRunner>> runners_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> next_{0};
  std::uint64_t chunk_ = 1;
  std::atomic<std::size_t> most_stacks_{0};  // of a runner: another one may get its first block later

  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_, idle_;
  const KernelLaunch* launch_ = nullptr;
  std::uint64_t generation_ = 0;
  std::size_t working_ = 0;
  bool is_ending_ = false;
  std::optional<Failure> fault_;
};

Executor::Executor(ExecutionSettings settings) : settings_(settings), cores_(own_cores()) {
  if (settings_.threads == 0) settings_.threads = own_core_count();
}

Executor::~Executor() = default;

Result<void, Failure> Executor::run(const kernel::Entry& entry, const LaunchShape& shape,
                                    std::span<void* const> arguments) {
  if (std::optional<std::string> why = refusal(shape, settings_))
    return Failure{Status::launch_failed, std::move(*why)};
  const kernel::dim3 grid = to_dim3(shape.grid), block = to_dim3(shape.block);
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const std::optional<std::uint64_t> seed = settings_.shuffle_seed;
  const ThreadOrders orders(block, seed);
  GridBarrier grid_barrier(blocks);
  const bool is_cooperative = shape.attributes.is_cooperative;
  const KernelLaunch launch{&entry,
                            arguments.data(),
                            grid,
                            block,
                            static_cast<unsigned>(shape.shared_bytes),
                            &orders,
                            BlockOrder(blocks, seed),
                            settings_.watch,
                            is_cooperative ? &grid_barrier : nullptr};
  std::unique_ptr<Threads>& threads = is_cooperative ? threads_of_all_blocks_ : threads_of_blocks_;
  const unsigned count = is_cooperative ? static_cast<unsigned>(blocks) : settings_.threads;
  if (!threads || threads->count() < count) {
    threads.reset();
    threads = std::make_unique<Threads>(count, settings_.stack_bytes, cores_);
  }
  if (std::optional<Failure> fault = threads->run(launch)) return *std::move(fault);
  return {};
}

void Executor::wake() {
  kernel::Entry entry{};
  entry.run = run_meeting;
  const ThreadOrders orders({}, std::nullopt);
  for (Threads* threads : {threads_of_blocks_.get(), threads_of_all_blocks_.get()}) {
    if (threads == nullptr) continue;
    const auto count = static_cast<unsigned>(threads->count());
    GridBarrier meeting(count);  // so each thread runs one block
    threads->run(
        {&entry, nullptr, count, {}, 0, &orders, BlockOrder(count, std::nullopt), nullptr, &meeting});
  }
}

}  // namespace gktune
