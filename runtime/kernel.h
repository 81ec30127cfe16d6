#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/answer.h"
#include "db/axis_value.h"
#include "db/lookup.h"
#include "runtime/launch_argument.h"
#include "tuner/core/element_type.h"
#include "tuner/core/named_values.h"
#include "tuner/core/result.h"

namespace gktune {

enum class Compilation {
  at_first_use,   // the first launch for a problem waits for the compiler
  in_background,  // the default configuration serves until the compiler is done
};

struct KernelParts;

struct KernelSettings {
  // Bundles, in order of preference. Of answers that match equally well, theirs come before those of
  // databases. Their code needs no compiler.
  std::vector<std::filesystem::path> bundles = {};
  // Databases with winners, in order of preference. Without one, the default of the space file serves.
  std::vector<std::filesystem::path> databases = {};
  LookupSettings lookup = {};
  // A thread looks this often whether another process has tuned, and prepares the new
  // winners. 0: databases are read once.
  std::chrono::milliseconds follow_interval = std::chrono::seconds(1);
  // Winners measured with another major version than these are not used. The
  // sources always have to be the same.
  std::string driver = {}, runtime = {};
  // auto (the GPU of the calling thread's context, else the first GPU, else the host), host, cuda
  // or cuda:N. A GPU's kernels belong to the calling thread's context if that is of this GPU,
  // else to its primary context.
  std::string device = "auto";
  // Compiled code is kept in this folder. Empty: until the kernel is destroyed.
  std::filesystem::path cache_dir = {};
  // The arguments that a launch passes, in this order, by their names in the space file. The
  // others get the values of the space file, and scratch memory. Empty: all buffers but scratch
  // memory, in the order of the file.
  std::vector<std::string> arguments = {};
  Compilation compilation = Compilation::at_first_use;
  // Told of each configuration that failed, once. Called from the thread that launches or compiles.
  std::function<void(const std::string&)> on_notice = {};
  std::string cxx = "c++";     // the system's C++ compiler, for the host
  std::string cuda_home = {};  // the CUDA toolkit's folder; empty: the usual places
  // Starts a worker process for autotune().
  std::vector<std::string> worker = {"gktune", "worker"};
};

// An argument of a launch, for one problem.
struct ArgumentInfo {
  std::string name;
  ElementType type = ElementType::float32;
  bool is_scalar = false;
  std::uint64_t count = 1;  // elements of a buffer
  bool is_written = false;
};

// The configuration that launches for one problem run.
struct KernelChoice {
  Match match = Match::none;  // how the database answered
  Config config;
  double expected_us = 0;  // 0: unknown
  std::string reason;      // why no winner answers, and what failed
  std::vector<std::string> stale;  // what has changed since it was measured
  std::vector<ArgumentInfo> arguments;
};

// A tuned kernel: chooses a configuration for each problem, compiles it, and launches all its steps.
//
// Several threads may launch one kernel. The first launch for a problem chooses, compiles and loads; later
// ones take no lock and allocate nothing. Launches are queued in the caller's stream; those on the host have
// run when launch() returns. They may be captured in a CUDA graph.
class Kernel {
 public:
  // From the sources, with bundles and databases.
  static Result<Kernel> open(const std::string& space_file, KernelSettings settings = {});
  // A kernel that the bundles have code of. Needs neither sources nor compiler nor databases;
  // settings for these do not count.
  static Result<Kernel> open_bundled(const std::string& kernel, KernelSettings settings);
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;
  // Launches must have been waited for. After the end of CUDA it releases nothing on the GPU.
  ~Kernel();

  // The axes of a problem, in the order in which launches name their values.
  const std::vector<std::string>& axes() const;

  // `stream` is a CUstream or cudaStream_t; null: the default stream.
  Result<void> launch(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                      void* stream = nullptr);
  Result<void> launch(std::initializer_list<AxisValue> problem,
                      std::initializer_list<LaunchArgument> arguments, void* stream = nullptr) {
    return launch(std::span(problem), std::span(arguments), stream);
  }

  // Compiles and loads what a launch would run, and describes it.
  Result<KernelChoice> prepare(std::span<const AxisValue> problem);
  Result<KernelChoice> prepare(std::initializer_list<AxisValue> problem) {
    return prepare(std::span(problem));
  }

  // Tunes for a problem that has no exact answer yet, stores the result in the first database, and
  // uses it from then on. Measures in other processes with copies of the buffers: what the arguments
  // point to does not change. It needs the program gktune and as much space in the folder for
  // temporary files as the buffers have.
  Result<KernelChoice> autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                                double budget_s);
  Result<KernelChoice> autotune(std::initializer_list<AxisValue> problem,
                                std::initializer_list<LaunchArgument> arguments, double budget_s) {
    return autotune(std::span(problem), std::span(arguments), budget_s);
  }

 private:
  class State;
  static Result<Kernel> make(KernelParts parts);
  explicit Kernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gktune
