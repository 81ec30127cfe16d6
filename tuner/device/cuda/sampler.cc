#include "tuner/device/cuda/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tuner/measure/element.h"

namespace gktune {
namespace {

// So many times what the last cache holds is read to drive all else out of it.
constexpr std::size_t kSweepFactor = 2;
// Below this an event costs too large a share of what it times.
constexpr double kShortUs = 20;
// How long a graph is to run: long against the events, short against patience.
constexpr double kGraphUs = 500;
constexpr double kMostInGraph = 512, kFewestInGraph = 8;
// What is queued at once while power is measured.
constexpr double kBusyUs = 20'000;
// The first executions load code and raise the clock.
constexpr int kWarmUps = 2;

}  // namespace

Execution execution_of(Gpu& gpu, BoundProgram program) {
  return [&gpu, program = std::move(program)](std::span<const CUdeviceptr> buffers) {
    program.launch(gpu, buffers);
  };
}

std::size_t sweep_bytes(const DeviceInfo& device) {
  return kSweepFactor * static_cast<std::size_t>(device.l2_bytes);
}

Sampler::Sampler(Gpu& gpu, DeviceKernels& kernels, Workbench& bench, Execution execution, Regime regime,
                 CUdeviceptr sweep_buffer, std::size_t sweep_bytes)
    : gpu_(gpu),
      kernels_(kernels),
      bench_(bench),
      execute_(std::move(execution)),
      regime_(regime),
      sweep_buffer_(sweep_buffer),
      sweep_bytes_(sweep_bytes),
      start_(gpu.event()),
      end_(gpu.event()) {}

Result<void, Trouble> Sampler::warm_up(double limit_s) {
  double estimate_us = 0;
  for (int i = 0; i < kWarmUps; ++i) {
    auto sample = sample_us(limit_s);
    if (!sample) return sample.error();
    estimate_us = *sample;
    if (estimate_us > kGraphUs * 20) return {};  // one has said it all
  }
  if (estimate_us >= kShortUs) return {};
  // Hot executions share their buffers: one that has to find its input restored cannot follow another at
  // once.
  if (regime_ == Regime::hot && bench_.needs_restoring()) return {};
  make_graph(estimate_us);
  if (graph_.get() == nullptr) {
    if (auto failure = gpu_.take_failure()) return trouble_of(*failure);
    return {};
  }
  auto sample = sample_us(limit_s);
  if (!sample) return sample.error();
  return {};
}

void Sampler::make_graph(double estimate_us) {
  const double wanted =
      std::clamp(std::ceil(kGraphUs / std::max(estimate_us, 0.1)), kFewestInGraph, kMostInGraph);
  in_graph_ = static_cast<std::size_t>(wanted);
  const bool rotates = regime_ == Regime::cold;
  if (rotates) {
    const std::size_t copies = bench_.grow_copies(in_graph_);
    (void)gpu_.take_failure();  // less room than it seemed: fewer copies
    in_graph_ = std::min(in_graph_, copies);
    if (static_cast<double>(in_graph_) < kFewestInGraph) return;
  }
  graph_ = gpu_.capture([&] {
    for (std::size_t i = 0; i < in_graph_; ++i) {
      execute_(rotates ? bench_.copy(i) : bench_.buffers());
    }
  });
}

Result<double, Trouble> Sampler::keep_busy(double seconds, double median_us, double limit_s) {
  const double batch_us = std::max(median_us, 0.1) * static_cast<double>(executions());
  const auto batches = static_cast<int>(std::max(1.0, kBusyUs / batch_us));
  double executed = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
    for (int i = 0; i < batches; ++i) execute_all();
    if (!gpu_.wait(limit_s * batches * static_cast<double>(executions()))) {
      return Trouble{Status::timed_out,
                     "ran longer than " + number_text(limit_s) + " s while its power was measured", true};
    }
    if (auto failure = gpu_.take_failure()) return trouble_of(*failure);
    executed += static_cast<double>(batches) * static_cast<double>(executions());
  }
  return executed;
}

void Sampler::execute_all() {
  if (graph_.get() != nullptr) {
    gpu_.launch(graph_);
  } else {
    execute_(bench_.buffers());
  }
}

Result<double, Trouble> Sampler::sample_us(double limit_s) {
  const bool has_graph = graph_.get() != nullptr;
  if (!has_graph) {
    bench_.restore();
  } else if (regime_ == Regime::cold && bench_.needs_restoring()) {
    for (std::size_t i = 0; i < in_graph_; ++i) bench_.restore_copy(i);
  }
  if (regime_ == Regime::cold) kernels_.sweep(sweep_buffer_, sweep_bytes_);
  kernels_.hold();
  gpu_.record(start_);
  execute_all();
  gpu_.record(end_);
  kernels_.release();
  if (!gpu_.wait(limit_s)) {
    return Trouble{Status::timed_out, "ran longer than " + number_text(limit_s) + " s while it was timed",
                   true};
  }
  const double elapsed_us = gpu_.elapsed_us(start_, end_);
  if (auto failure = gpu_.take_failure()) return trouble_of(*failure);
  return elapsed_us / static_cast<double>(executions());
}

}  // namespace gktune
