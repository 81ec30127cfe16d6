#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/failure.h"
#include "tuner/device/worker/job.h"
#include "tuner/measure/stopping_rule.h"
#include "tuner/measure/verdict.h"
#include "tuner/space/plan.h"

namespace gktune {

// The operations that each kind of hardware implements. DeviceRunner builds checks, timing and playoffs from
// them, so that a new backend copies none of that.

// The end of a buffer that is next to inaccessible memory, if the device has such memory.
enum class Placement { at_end, at_start };

// The rights of a process that is forked later. With `none` it does not have the memory; the other two differ for
// shared memory only.
enum class ForkedAccess { write, read, none };

// Memory on the device with a guard on either side.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual std::uintptr_t address() const = 0;
  // The same memory for kernels that only read it. See DeviceTraits::protects_inputs.
  virtual std::uintptr_t read_only_address() const { return address(); }
  virtual std::size_t bytes() const = 0;
  // Changes size and placement. The contents survive a change of placement alone. At its start, a buffer
  // keeps its address until it grows beyond its largest size so far.
  virtual Result<void, Failure> place(std::size_t bytes, Placement placement) = 0;
  // The place of a write outside the buffer ("4 bytes past its end"), if there was one. Repairs the guards.
  virtual Result<std::optional<std::string>, Failure> take_violation() = 0;
  // Gives a forked process memory of its own, which costs its first writes as little as new memory does. The
  // contents are lost.
  virtual void renew() {}
  virtual void permit(ForkedAccess) {}
};

// One argument of the executions on a problem.
struct ArgumentMemory {
  std::string name;
  DeviceBuffer* buffer = nullptr;          // null: a scalar, which the program holds
  const DeviceBuffer* original = nullptr;  // the required contents before each execution; null: any contents
  bool is_scratch = false;                 // written before it is read
  bool is_unwritten = false;  // its contents mean nothing before each execution: scratch or an output
  bool is_read_only = false;  // for the executions to come

  // The address that kernels get; 0 for a scalar.
  std::uintptr_t address() const {
    if (buffer == nullptr) return 0;
    return is_read_only ? buffer->read_only_address() : buffer->address();
  }
};

// The address of each argument, 0 for a scalar.
template <class Address>
std::vector<Address> addresses_of(std::span<const ArgumentMemory> arguments) {
  std::vector<Address> addresses;
  for (const ArgumentMemory& argument : arguments) addresses.push_back(argument.address());
  return addresses;
}

// Loaded code with its launches and scalar arguments.
class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  virtual Resources resources() const = 0;
  // True if it can leave data in memory that no other program of this process finds overwritten.
  virtual bool keeps_memory() const { return false; }
};

// Averages over many executions without a pause.
struct EnergyReading {
  double energy_j = 0;  // of one execution
  double power_w = 0;
};

// Times one program on the buffers of one problem.
class Sampler {
 public:
  virtual ~Sampler() = default;
  // Executes the program until its time is steady. The program has been executed before.
  virtual Result<void, Failure> warm_up() = 0;
  // The time of one execution. It may be the mean of several.
  virtual Result<double, Failure> sample_us() = 0;
  // No reading: the device has no energy counter.
  virtual Result<std::optional<EnergyReading>, Failure> measure_energy(double median_us) = 0;
};

// Times programs on the buffers of one problem. It keeps what their samplers share.
class Timer {
 public:
  virtual ~Timer() = default;
  // `limit_s` bounds one execution.
  virtual std::unique_ptr<Sampler> sampler(std::shared_ptr<const LoadedProgram> program, Regime regime,
                                           double limit_s) = 0;
};

// How a program is timed that is executed once.
struct OnceOptions {
  Regime regime = Regime::cold;
  double limit_s = 0;                // of one execution
  bool are_caches_prepared = false;  // by prepare_caches()
};

// The memory of one problem's arguments.
using ProblemMemory = std::span<const ArgumentMemory>;

struct LaunchOptions {
  double limit_s = 0;                 // a device that cannot enforce it leaves that to the parent process
  std::optional<std::uint64_t> seed;  // of the order of blocks and threads, where the device chooses it
};

struct DeviceTraits {
  StoppingOptions stopping;
  // The placements of the buffers in the two executions of a check before timing, which keeps the second. A
  // check alone covers both placements everywhere.
  std::array<Placement, 2> timed_placements{Placement::at_end, Placement::at_start};
  // The second execution of a check before timing is the first one of the timing. It runs blocks and
  // threads in the device's own order.
  bool times_second_check = false;
  // Hardware ends a kernel that accesses memory beside a buffer with Guards::hardware, or writes to a
  // read-only address of one. It does not tell which access that was.
  bool protects_inputs = false;
  // A fresh execution may take this much longer than others: what timing one execution costs.
  double fresh_slack_us = 6;
  // Kernels share the memory of the worker process: a write outside a buffer may have damaged it.
  bool shares_memory = false;
};

// Two buffers that should hold the same.
struct BufferPair {
  const DeviceBuffer& actual;
  const DeviceBuffer& expected;
  ElementType type;
  const TolerancePlan& tolerance;
  const DeviceBuffer* mask = nullptr;  // that the tolerance names
};

// The verdicts of a device whose buffers this process can read.
inline std::vector<Verdict> judge_here(std::span<const BufferPair> pairs) {
  const auto contents = [](const DeviceBuffer& buffer) {
    return std::span(reinterpret_cast<const std::byte*>(buffer.address()), buffer.bytes());
  };
  std::vector<Verdict> verdicts;
  for (const BufferPair& pair : pairs) {
    const auto mask = pair.mask == nullptr ? std::span<const std::byte>() : contents(*pair.mask);
    verdicts.push_back(
        judge(pair.type, contents(pair.actual), contents(pair.expected), pair.tolerance, mask));
  }
  return verdicts;
}

class ProblemBuffers;

// A process for one candidate that runs apart (see Plan::runs_apart). It has memory of its own for the
// candidate's arguments.
class ApartProcess {
 public:
  virtual ~ApartProcess() = default;
  // Has the candidate executed once on the problem, whose buffers hold its results then. Returns the time.
  virtual Result<double, Failure> execute(ProblemBuffers& problem) = 0;
};

// Runs work that changes nothing but shared buffers here or in another process.
using Work = std::function<Result<void, Failure>()>;
using Isolate = std::function<Result<void, Failure>(const Work& work)>;
inline Result<void, Failure> run_here(const Work& work) { return work(); }

// Operations without a result are queued: the next operation with one reports their failure.
class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;
  // Counts the time that the present job has spent on inputs and reference.
  Preparation preparation;

  virtual const DeviceTraits& traits() const = 0;

  // The bytes that a problem may allocate.
  virtual Result<std::uint64_t, Failure> free_bytes() = 0;
  virtual Result<std::unique_ptr<DeviceBuffer>, Failure> allocate(std::size_t bytes, Placement placement,
                                                                  Guards guards) = 0;
  // Allocates memory that this process shares with the processes that it forks later.
  virtual Result<std::unique_ptr<DeviceBuffer>, Failure> allocate_shared(std::size_t bytes) {
    return allocate(bytes, Placement::at_start, Guards::hardware);
  }
  virtual Result<std::shared_ptr<const LoadedProgram>, Failure> load(
      const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments) = 0;

  // Writes the argument's initial contents.
  virtual Result<void, Failure> fill(DeviceBuffer& buffer, const ArgumentPlan& argument) = 0;
  // Writes the expected bytes, each with the bits of the mask flipped; without
  // expected bytes the mask itself.
  virtual void poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) = 0;
  virtual void copy(DeviceBuffer& to, const DeviceBuffer& from) = 0;
  // Copies as many of the first bytes as there is room for, and waits for them.
  virtual Result<void, Failure> download(std::span<std::byte> to, const DeviceBuffer& from) = 0;
  // A number that changes with the contents.
  virtual Result<std::uint64_t, Failure> digest(const DeviceBuffer& buffer) = 0;
  // Returns a verdict for each pair.
  virtual Result<std::vector<Verdict>, Failure> compare(std::span<const BufferPair> pairs) = 0;

  // Executes all launches of the program once and waits for them. Returns the time in microseconds if it says
  // something about executions that are timed. An interruption of this process may have prolonged it.
  virtual Result<std::optional<double>, Failure> run(const LoadedProgram& program,
                                                     std::span<const ArgumentMemory> arguments,
                                                     const LaunchOptions& options) = 0;
  // A finding of instrumented executions that cannot change a result; empty: there is none.
  virtual std::string take_harmless() { return {}; }
  // The races that later executions do not report.
  virtual void allow(const AllowedRaces&) {}
  // The number of problems of this size on which a program has to be executed for a precise mean.
  virtual std::size_t problems_at_once(const LoadedProgram&, double /*execution_us*/, std::uint64_t /*bytes*/,
                                       Regime) const {
    return 1;
  }
  // Executes the program once on each problem, whose memory holds what it has to find, and returns the mean
  // time of an execution. Nothing that an earlier program has left in the caches or on the chip helps it.
  virtual Result<double, Failure> time_once(const std::shared_ptr<const LoadedProgram>& program,
                                            std::span<const ProblemMemory> problems,
                                            const OnceOptions& options) = 0;
  // Gives the caches the state in which executions of the regime start.
  virtual void prepare_caches(std::span<const ProblemMemory> problems, Regime regime) = 0;
  // The arguments have to outlive the timer.
  virtual std::unique_ptr<Timer> timer(std::span<const ArgumentMemory> arguments) = 0;
  // Starts a process for a candidate that runs apart. Devices whose candidates share the process implement
  // it.
  virtual Result<std::unique_ptr<ApartProcess>, Failure> start_apart(const RunJob&) {
    return Failure{Status::machine_failed, "this device starts no process for host code"};
  }
  // Clock, temperature, power and throttling at this moment, if the device reports them.
  virtual Conditions conditions() { return {}; }
};

}  // namespace gktune
