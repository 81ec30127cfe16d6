#include "tuner/device/cuda/cuda_timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "tuner/device/cuda/cuda_program.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

// Below this an event costs too large a share of the timed execution.
constexpr double kShortUs = 20;
// Duration of a graph: long compared to the events' cost, short for the user.
constexpr double kGraphUs = 500;
constexpr double kMostInGraph = 512, kFewestInGraph = 8;
// Fresh executions that one graph runs: each needs inputs of its own.
constexpr std::size_t kFreshAtOnce = 32;
// The energy counter advances in steps of some ten milliseconds: a shorter run measures nothing.
constexpr double kEnergyS = 1;
// Much longer than a graph of short executions takes.
constexpr double kGraphS = 0.5;
// Queued at once while energy is measured.
constexpr double kBusyUs = 20'000;
// Much longer than queueing takes; ends a forgotten hold.
constexpr double kHoldS = 2;
// A program that waits for the GPU is held no longer.
constexpr double kWaitingHoldS = 1e-3;
// Copies take this share of the free memory at most, and leave the rest to the problem.
constexpr std::size_t kCopiesShare = 4;

}  // namespace

Execution execution_of(CudaDevice& device, std::shared_ptr<const LoadedProgram> program) {
  using Part = GpuProgram::Part;
  const auto& loaded = static_cast<const GpuProgram&>(*program);
  const auto part = [&](Part which) {
    return [&device, program, which](std::span<const CUdeviceptr> addresses) {
      static_cast<const GpuProgram&>(*program).queue(device.gpu(), which, addresses);
    };
  };
  return {part(Part::execute),       part(Part::prepare), part(Part::finish),
          loaded.needs_each_setup(), loaded.has_setup(),  loaded.may_wait()};
}

namespace {

// The events around what is timed.
struct Marks {
  explicit Marks(Gpu& gpu) : start(gpu.event()), end(gpu.event()) {}
  Event start, end;
};

// The mean time of the executions that `execute` queues. The stream is blocked meanwhile, so that they start
// without waiting for the host. `limit_s` bounds one of them. Launcher code may use streams of its own: they
// are blocked too, and what they do counts.
Result<double, Failure> timed(CudaDevice& device, const Execution& execution,
                              std::span<const CUdeviceptr> addresses, double executions, double limit_s,
                              const Marks& marks, const std::function<void()>& prepare_caches,
                              const std::function<void()>& execute) {
  Gpu& gpu = device.gpu();
  if (execution.prepare) execution.prepare(addresses);
  prepare_caches();
  device.kernels().hold(execution.may_wait ? kWaitingHoldS : kHoldS);
  gpu.record(marks.start);
  if (execution.may_wait) gpu.hold_all(marks.start);
  execute();
  execution.may_wait ? gpu.record_all(marks.end) : gpu.record(marks.end);
  if (execution.finish) execution.finish(addresses);
  device.kernels().release();
  const double wait_s = executions > 1 ? limit_s + kGraphS : limit_s;
  if (!(execution.may_wait ? gpu.wait(marks.end, wait_s) : gpu.wait(wait_s)))
    return ran_too_long(limit_s, "while it was timed");
  double elapsed_us = gpu.elapsed_us(marks.start, marks.end);
  if (execution.may_wait) {  // its threads may have queued more after it returned
    const auto rest_us = gpu.rest_us(wait_s);
    if (!rest_us) return ran_too_long(limit_s, "while it was timed");
    elapsed_us += *rest_us;
  }
  if (auto failure = gpu.take_failure()) return *failure;
  device.note_busy();
  return elapsed_us / executions;
}

}  // namespace

// Samples one execution on the timer's buffers.
class CudaTimer::GraphSampler final : public Sampler {
 public:
  GraphSampler(CudaTimer& timer, Execution execution, Regime regime, double limit_s)
      : timer_(timer),
        device_(timer.device_),
        gpu_(device_.gpu()),
        execution_(std::move(execution)),
        regime_(regime),
        limit_s_(limit_s),
        addresses_(addresses_of<CUdeviceptr>(timer.arguments_)),
        marks_(gpu_) {}

  Result<void, Failure> warm_up() override {
    device_.wake_up();
    const auto estimate_us = GKTUNE_TRY(sample_us());
    // Hot executions share their buffers: the next one would find its input changed. Cold ones have other
    // buffers than those of the setup.
    const bool can_repeat = gpu_.can_capture() && !execution_.may_wait && !execution_.is_prepared_each &&
                            (regime_ == Regime::cold ? !execution_.knows_buffers : !timer_.restores_inputs());
    if (estimate_us < kShortUs && can_repeat) make_graph(estimate_us);
    if (auto failure = gpu_.take_failure()) return *failure;
    if (!has_graph()) {  // the estimate is as good as any other sample
      first_us_ = estimate_us;
      return {};
    }
    GKTUNE_TRY(sample_us());
    return {};
  }

  Result<double, Failure> sample_us() override {
    if (first_us_) return *std::exchange(first_us_, std::nullopt);
    if (!has_graph()) {
      timer_.restore_inputs();
    } else if (regime_ == Regime::cold && timer_.restores_inputs()) {
      for (std::size_t i = 0; i < in_graph_; ++i) timer_.restore_copy(timer_.copies_[i]);
    }
    const auto prepare_caches = [&] {
      if (regime_ == Regime::cold) device_.sweep_caches();
    };
    return timed(device_, execution_, addresses_, executions(), limit_s_, marks_, prepare_caches,
                 [&] { execute_all(); });
  }

  // Executes without a pause, with caches and inputs in any state.
  Result<std::optional<EnergyReading>, Failure> measure_energy(double median_us) override {
    if (!device_.nvml()) return std::optional<EnergyReading>();
    const auto before_j = device_.nvml()->energy_j();
    const double batch_us = std::max(median_us, 0.1) * executions();
    const auto batches = static_cast<int>(std::max(1.0, kBusyUs / batch_us));
    double executed = 0, elapsed_s = 0;
    const auto start = std::chrono::steady_clock::now();
    while (elapsed_s < kEnergyS) {
      for (int i = 0; i < batches; ++i) {
        if (execution_.is_prepared_each) execution_.prepare(addresses_);
        execute_all();
      }
      if (!gpu_.wait(limit_s_ + kGraphS)) {
        return ran_too_long(limit_s_, "while its power was measured");
      }
      if (auto failure = gpu_.take_failure()) return *failure;
      executed += batches * executions();
      elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    device_.note_busy();
    const auto after_j = device_.nvml()->energy_j();
    if (!before_j || !after_j) return std::optional<EnergyReading>();
    const double energy_j = *after_j - *before_j;
    return std::optional(EnergyReading{energy_j / executed, energy_j / elapsed_s});
  }

 private:
  bool has_graph() const { return graph_.get() != nullptr; }
  // The number of executions whose mean is one sample.
  double executions() const { return has_graph() ? static_cast<double>(in_graph_) : 1; }

  void execute_all() {
    if (has_graph()) {
      gpu_.launch(graph_);
    } else {
      execution_.execute(addresses_);
    }
  }

  void make_graph(double estimate_us) {
    const double wanted =
        std::clamp(std::ceil(kGraphUs / std::max(estimate_us, 0.1)), kFewestInGraph, kMostInGraph);
    in_graph_ = static_cast<std::size_t>(wanted);
    const bool rotates = regime_ == Regime::cold;
    if (rotates) {
      in_graph_ = std::min(in_graph_, timer_.grow_copies(in_graph_));
      if (static_cast<double>(in_graph_) < kFewestInGraph) return;
    }
    graph_ = gpu_.capture([&] {
      for (std::size_t i = 0; i < in_graph_; ++i) {
        execution_.execute(rotates ? timer_.addresses_in(timer_.copies_[i]) : addresses_);
      }
    });
  }

  CudaTimer& timer_;
  CudaDevice& device_;
  Gpu& gpu_;
  Execution execution_;
  Regime regime_;
  double limit_s_;
  std::vector<CUdeviceptr> addresses_;
  Marks marks_;
  std::optional<double> first_us_;  // taken by the warm-up
  Graph graph_;
  std::size_t in_graph_ = 0;
};

// Hot executions find the buffers of all problems in the last cache.
std::size_t CudaDevice::problems_at_once(const LoadedProgram& program, double execution_us,
                                         std::uint64_t bytes, Regime regime) const {
  const auto& loaded = static_cast<const GpuProgram&>(program);
  if (execution_us >= kShortUs || !gpu_->can_capture() || loaded.may_wait() || loaded.is_prepared()) return 1;
  if (regime == Regime::cold) return kFreshAtOnce;
  const std::uint64_t fit = sweep_bytes_ / kSweepFactor / 2 / std::max<std::uint64_t>(bytes, 1);
  return std::clamp<std::size_t>(fit, 1, kFreshAtOnce);
}

Result<double, Failure> CudaDevice::time_once(const std::shared_ptr<const LoadedProgram>& program,
                                              std::span<const ProblemMemory> problems,
                                              const OnceOptions& options) {
  Gpu& gpu = *gpu_;
  const Execution execution = execution_of(*this, program);
  std::vector<std::vector<CUdeviceptr>> addresses;
  for (const ProblemMemory& problem : problems) addresses.push_back(addresses_of<CUdeviceptr>(problem));
  Graph graph;
  if (problems.size() > 1) {
    graph = gpu.capture([&] {
      for (const std::vector<CUdeviceptr>& each : addresses) execution.execute(each);
    });
  }
  wake_up();
  return timed(
      *this, execution, addresses.front(), static_cast<double>(problems.size()), options.limit_s, Marks(gpu),
      [&] {
        if (!options.are_caches_prepared) prepare_caches(problems, options.regime);
      },
      [&] { problems.size() > 1 ? gpu.launch(graph) : execution.execute(addresses.front()); });
}

std::unique_ptr<Sampler> CudaTimer::sampler(std::shared_ptr<const LoadedProgram> program, Regime regime,
                                            double limit_s) {
  return sampler(execution_of(device_, std::move(program)), regime, limit_s);
}

std::unique_ptr<Sampler> CudaTimer::sampler(Execution execution, Regime regime, double limit_s) {
  return std::make_unique<GraphSampler>(*this, std::move(execution), regime, limit_s);
}

bool CudaTimer::restores_inputs() const {
  return std::ranges::any_of(arguments_, [](const auto& argument) { return argument.original != nullptr; });
}

void CudaTimer::restore_inputs() {
  for (const ArgumentMemory& argument : arguments_) {
    if (argument.original != nullptr) device_.copy(*argument.buffer, *argument.original);
  }
}

void CudaTimer::restore_copy(const Copy& copy) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const DeviceBuffer* original = arguments_[i].original;
    if (original != nullptr) device_.gpu().copy(copy.addresses[i], original->address(), original->bytes());
  }
}

std::size_t CudaTimer::bytes_per_copy() const {
  std::size_t bytes = 0;
  for (const ArgumentMemory& argument : arguments_) {
    if (argument.buffer == nullptr || argument.is_scratch) continue;
    bytes += rounded_to_guards(argument.buffer->bytes()) + kGuardBytes;
  }
  return bytes;
}

std::size_t CudaTimer::grow_copies(std::size_t count) {
  Gpu& gpu = device_.gpu();
  const std::size_t free = gpu.free_bytes(), each = std::max<std::size_t>(bytes_per_copy(), 1);
  const std::size_t wanted = std::min(count, copies_.size() + free / kCopiesShare / each);
  while (gpu.ok() && copies_.size() < wanted) {
    Copy copy{gpu.allocate(each), std::vector<CUdeviceptr>(arguments_.size(), 0)};
    if (!gpu.ok()) break;
    CUdeviceptr at = copy.memory.get();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const ArgumentMemory& argument = arguments_[i];
      if (argument.buffer == nullptr || argument.is_scratch) continue;
      const DeviceBuffer& from = argument.original != nullptr ? *argument.original : *argument.buffer;
      copy.addresses[i] = at;
      gpu.copy(at, from.address(), from.bytes());
      at += rounded_to_guards(from.bytes()) + kGuardBytes;
    }
    copies_.push_back(std::move(copy));
  }
  (void)gpu.take_failure();  // not enough memory: make fewer copies
  return copies_.size();
}

std::vector<CUdeviceptr> CudaTimer::addresses_in(const Copy& copy) const {
  std::vector<CUdeviceptr> addresses = copy.addresses;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (arguments_[i].is_scratch) addresses[i] = arguments_[i].buffer->address();
  }
  return addresses;
}

}  // namespace gktune
