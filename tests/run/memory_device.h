#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/run/compute_device.h"

namespace gktune {

// A device of plain functions in this process. Tests make it fail as hardware can.
class MemoryDevice final : public ComputeDevice {
 public:
  using Memory = std::span<const ArgumentMemory>;
  // A program reads and writes its memory by this function. A function that returns nothing succeeds.
  struct Function : std::function<Result<void, Failure>(Memory)> {
    Function() = default;
    template <class F>
    Function(F act)
        : std::function<Result<void, Failure>(Memory)>([act](Memory memory) mutable {
            if constexpr (std::is_void_v<decltype(act(memory))>)
              return act(memory), Result<void, Failure>();
            else
              return act(memory);
          }) {}
  };
  struct Code {
    Function function;
    std::vector<double> times_us{10};                   // of its samples, then the last one again and again
    std::optional<double> execution_us = std::nullopt;  // of each execution that is no sample
  };

  std::map<std::string, Code> codes;  // by module path; any other path is a missing file
  DeviceTraits device_traits;
  std::uint64_t free = std::uint64_t{1} << 30;
  std::vector<bool> throttled;  // at each reading; false afterwards
  bool has_energy = true;
  // The process of a candidate that runs apart calls this function for each execution.
  std::function<Result<double, Failure>(ProblemBuffers&)> apart;
  int apart_processes = 0;  // started so far

  // The operations so far, in order.
  std::vector<std::string> log;
  std::vector<LaunchOptions> launches;
  std::vector<DeviceBuffer*> buffers;  // all that live

  const DeviceTraits& traits() const override { return device_traits; }
  Result<std::uint64_t, Failure> free_bytes() override { return free; }
  Result<std::unique_ptr<DeviceBuffer>, Failure> allocate(std::size_t bytes, Placement placement,
                                                          Guards guards) override;
  Result<std::shared_ptr<const LoadedProgram>, Failure> load(
      const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments) override;
  Result<std::unique_ptr<ApartProcess>, Failure> start_apart(const RunJob& job) override;
  Result<void, Failure> fill(DeviceBuffer& buffer, const ArgumentPlan& argument) override;
  void poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) override;
  void copy(DeviceBuffer& to, const DeviceBuffer& from) override;
  Result<void, Failure> download(std::span<std::byte> to, const DeviceBuffer& from) override;
  Result<std::uint64_t, Failure> digest(const DeviceBuffer& buffer) override;
  Result<std::vector<Verdict>, Failure> compare(std::span<const BufferPair> pairs) override;
  Result<std::optional<double>, Failure> run(const LoadedProgram& program,
                                             std::span<const ArgumentMemory> arguments,
                                             const LaunchOptions& options) override;
  Result<double, Failure> time_once(const std::shared_ptr<const LoadedProgram>& program,
                                    std::span<const ProblemMemory> problems,
                                    const OnceOptions& options) override;
  void prepare_caches(std::span<const ProblemMemory>, Regime) override {}
  std::unique_ptr<Timer> timer(std::span<const ArgumentMemory> arguments) override;
  Conditions conditions() override;
};

// Element i of a buffer.
template <class T>
T& element(const DeviceBuffer& buffer, std::size_t i) {
  return reinterpret_cast<T*>(buffer.address())[i];
}

}  // namespace gktune
