#include "tuner/device/cuda/apart_process.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "tuner/core/quantity.h"
#include "tuner/device/run/problem_buffers.h"
#include "tuner/device/run/told_times.h"
#include "tuner/device/worker/channel.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/job.h"
#include "tuner/device/worker/job_process.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"
#include "tuner/process/child_process.h"
#include "tuner/process/outside_kills.h"
#include "tuner/process/sandbox.h"

namespace gktune {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kStartLimitS = 120;  // a context on a busy machine
constexpr double kLoadLimitS = 10;    // beyond the limit of an execution
constexpr double kMoreS = 3;          // of an execution: to prepare it, and to find out that it hangs
constexpr auto kLeaveLimit = std::chrono::milliseconds(1000);
constexpr GuardPattern kPattern = 0x5a;

// The driver shares whole pages.
constexpr std::size_t kPageBytes = std::size_t{2} << 20;

std::size_t bytes_of(const ArgumentPlan& argument) { return argument.count * element_size(argument.type); }

std::size_t block_bytes(const std::vector<ArgumentPlan>& arguments) {
  std::size_t bytes = 0;
  for (const ArgumentPlan& argument : arguments)
    if (!argument.is_scalar) bytes += rounded_to_guards(bytes_of(argument)) + 2 * kGuardBytes;
  return (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// The buffers of the arguments in the block; null for scalars.
using Buffers = std::vector<std::unique_ptr<DeviceBuffer>>;
Result<Buffers, Failure> buffers_in(Gpu& gpu, CUdeviceptr block, const std::vector<ArgumentPlan>& arguments) {
  Buffers buffers;
  for (const ArgumentPlan& argument : arguments) {
    buffers.emplace_back();
    if (argument.is_scalar) continue;
    const std::size_t capacity = rounded_to_guards(bytes_of(argument));
    buffers.back() = make_zoned_buffer(gpu, kPattern, block, capacity);
    GKTUNE_TRY(buffers.back()->place(bytes_of(argument), Placement::at_start));
    block += capacity + 2 * kGuardBytes;
  }
  return buffers;
}

std::vector<ArgumentMemory> memory_of(const std::vector<ArgumentPlan>& arguments, const Buffers& buffers) {
  std::vector<ArgumentMemory> memory;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    memory.push_back({.name = arguments[i].name, .buffer = buffers[i].get()});
  return memory;
}

// The parent's side.
class GpuApartProcess final : public ApartProcess {
 public:
  static Result<std::unique_ptr<ApartProcess>, Failure> start(CudaDevice& device,
                                                              const std::vector<std::string>& argv,
                                                              const RunJob& job) {
    auto child = ChildProcess::start({.argv = argv, .environment = {}});
    if (!child) return Failure{Status::machine_failed, child.error().message};
    std::unique_ptr<GpuApartProcess> started(new GpuApartProcess(device, job, *std::move(child)));
    GKTUNE_TRY(started->wait_for(Frame::Kind::ready, kStartLimitS));
    GKTUNE_TRY(started->load(job));
    return std::unique_ptr<ApartProcess>(std::move(started));
  }
  // The parent closes the block before the child frees it.
  ~GpuApartProcess() override { buffers_.clear(), block_ = {}; }

  Result<double, Failure> execute(ProblemBuffers& problem) override {
    const auto all = problem.passed();
    for (const ProblemBuffers::Passed& each : all) device_.copy(*buffers_[each.argument], *each.buffer);
    GKTUNE_TRY(device_.finish());
    const auto begin = SteadyClock::now();
    const ProblemMemory memory(memory_);
    device_.prepare_caches(std::span(&memory, 1), regime_);
    GKTUNE_TRY(device_.finish());
    channel_.queue(Frame::Kind::request, {});
    const auto answer = GKTUNE_TRY(wait_for(Frame::Kind::reply, limit_s_ + kMoreS));
    const double waited_us = seconds_since(begin) * 1e6;
    const auto reply = decode<RunReply>(answer);
    if (!reply || reply->samples_us.size() != 1) return Failure{Status::crashed, "its process tells no time"};
    const double told_us = reply->samples_us.front();
    told_.add(told_us, waited_us);
    if (told_.count >= ToldTimes::kLeastExecutions && !told_.are_possible()) return told_.failure();
    for (const ProblemBuffers::Passed& each : all) {
      DeviceBuffer& own = *buffers_[each.argument];
      const auto where = GKTUNE_TRY(own.take_violation());
      if (where) {
        return Failure{Status::guard_violated,
                       "wrote outside '" + memory_[each.argument].name + "': " + *where};
      }
      if (each.is_written) {
        device_.copy(*each.buffer, own);
      } else if (GKTUNE_TRY(device_.digest(own)) != GKTUNE_TRY(device_.digest(*each.buffer))) {
        return Failure{Status::input_changed, "wrote into its input '" + memory_[each.argument].name + "'"};
      }
    }
    GKTUNE_TRY(device_.finish());
    return told_us;
  }

 private:
  GpuApartProcess(CudaDevice& device, const RunJob& job, ChildProcess child)
      : device_(device),
        regime_(job.plan.regime),
        limit_s_(job.plan.time_limit_s),
        child_(std::move(child)),
        channel_(child_.take_socket()) {}

  Result<void, Failure> load(const RunJob& job) {
    RunJob told = job;  // nothing about what judges the candidate
    told.reference = told.verifier = {};
    told.plan.reference = told.plan.verifier = {};
    for (ArgumentPlan& argument : told.plan.arguments) {
      argument.contents = {};
      argument.others.clear();
      argument.tolerance = {};
    }
    channel_.queue(Frame::Kind::request, encode(told));
    const auto answer = GKTUNE_TRY(wait_for(Frame::Kind::reply, limit_s_ + kLoadLimitS));
    CUipcMemHandle handle;
    if (answer.size() != sizeof handle) return Failure{Status::crashed, "its process shares no memory"};
    std::memcpy(&handle, answer.data(), sizeof handle);
    block_ = device_.gpu().open_shared(handle);
    if (auto failure = device_.gpu().take_failure()) {
      failure->status = Status::machine_failed;
      return *failure;
    }
    buffers_ = GKTUNE_TRY(buffers_in(device_.gpu(), block_.get(), job.plan.arguments));
    memory_ = memory_of(job.plan.arguments, buffers_);
    return {};
  }

  // Waits for this kind of frame from the child. It gets no more than this time.
  Result<std::string, Failure> wait_for(Frame::Kind kind, double limit_s) {
    const auto begin = SteadyClock::now();
    for (;;) {
      channel_.write();
      channel_.read();
      child_.read_output();
      while (const std::optional<Frame> frame = channel_.next()) {
        if (frame->kind == kind) return frame->payload;
        if (frame->kind == Frame::Kind::not_ready) return Failure{Status::machine_failed, frame->payload};
        if (frame->kind == Frame::Kind::fault && !fault_) fault_ = reported_fault(frame->payload);
      }
      if (!channel_.is_open()) return ended();
      const double left_s = limit_s - seconds_since(begin);
      if (left_s <= 0) {
        child_.signal(SIGKILL);
        return Failure{Status::timed_out, "ran longer than " + number_text(limit_s_) + " s"};
      }
      const auto events = static_cast<short>(POLLIN | (channel_.wants_to_write() ? POLLOUT : 0));
      pollfd waits[] = {{channel_.number(), events, 0}, {child_.output_number(), POLLIN, 0}};
      ::poll(waits, std::size(waits), static_cast<int>(std::min(left_s, 1.0) * 1000) + 1);
    }
  }

  Failure ended() {
    const auto status = child_.exit_status_within(kLeaveLimit);
    child_.signal(SIGKILL);
    if (fault_) return *fault_;
    if (!status) return {Status::crashed, "its process closed its channel"};
    if (status->by_signal && status->code == kFilterSignal) return {Status::crashed, kForbiddenCall};
    return {Status::crashed, status->str()};
  }

  ClosedMemory closed_;  // this process's, to the child
  CudaDevice& device_;
  Regime regime_;
  double limit_s_;
  ChildProcess child_;
  Channel channel_;
  DeviceMemory block_;
  Buffers buffers_;
  std::vector<ArgumentMemory> memory_;
  ToldTimes told_{"which keeps the judge waiting for"};
  std::optional<Failure> fault_;
};

// The child's side.
class ApartCandidate {
 public:
  ApartCandidate(CudaDevice& device, RunJob job) : device_(device), job_(std::move(job)) {}

  // Returns the handle of the block.
  Result<std::string, Failure> load() {
    Gpu& gpu = device_.gpu();
    block_ = gpu.allocate(block_bytes(job_.plan.arguments));
    const CUipcMemHandle handle = gpu.share(block_);
    if (auto failure = gpu.take_failure()) return *failure;
    buffers_ = GKTUNE_TRY(buffers_in(gpu, block_.get(), job_.plan.arguments));
    memory_ = memory_of(job_.plan.arguments, buffers_);
    program_ = GKTUNE_TRY(device_.load(job_.candidate, job_.plan.candidate, job_.plan.arguments));
    return std::string(reinterpret_cast<const char*>(&handle), sizeof handle);
  }

  Result<std::string, Failure> execute() {
    const ProblemMemory memory(memory_);
    const auto time_us =
        device_.time_once(program_, std::span(&memory, 1), {job_.plan.regime, job_.plan.time_limit_s, true});
    if (!time_us) return time_us.error();
    RunReply reply;
    reply.samples_us = {*time_us};
    return encode(reply);
  }

 private:
  CudaDevice& device_;
  RunJob job_;
  DeviceMemory block_;
  Buffers buffers_;
  std::vector<ArgumentMemory> memory_;
  std::shared_ptr<const LoadedProgram> program_;
};

}  // namespace

Result<std::unique_ptr<ApartProcess>, Failure> start_apart(CudaDevice& device,
                                                           const std::vector<std::string>& argv,
                                                           const RunJob& job) {
  return GpuApartProcess::start(device, argv, job);
}

int serve_apart(const std::function<Result<std::unique_ptr<CudaDevice>>()>& open,
                const std::function<Result<void>()>& confine) {
  ::fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);
  Channel channel{FileDescriptor(kChannelFd)};
  set_report_channel(kChannelFd);
  const auto send = [&](Frame::Kind kind, std::string_view payload) {
    channel.queue(kind, payload);
    channel.write();
  };
  const auto device = open();
  if (!device) return send(Frame::Kind::not_ready, device.error().message), 1;
  if (auto confined = confine(); !confined) return send(Frame::Kind::not_ready, confined.error().message), 1;
  keep_from(processes_above());
  std::optional<ApartCandidate> candidate;
  send(Frame::Kind::ready, {});
  while (channel.is_open()) {
    channel.read();
    while (const std::optional<Frame> frame = channel.next()) {
      if (!candidate) {
        auto request = decode_request(frame->payload);
        if (!request || !std::holds_alternative<RunJob>(*request)) return 1;
        candidate.emplace(**device, std::get<RunJob>(*std::move(request)));
      }
      const auto answer = frame->payload.empty() ? candidate->execute() : candidate->load();
      std::fflush(nullptr);
      if (!answer) {
        report_fault(answer.error().status, answer.error().message);
        return 1;
      }
      send(Frame::Kind::reply, *answer);
    }
  }
  return 0;
}

}  // namespace gktune
