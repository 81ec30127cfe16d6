#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/core/fields.h"
#include "tuner/device/failure.h"
#include "tuner/device/worker/job.h"

namespace gktune {
// The parts of one kind of hardware. They run in worker processes, which the `worker` command starts.

// Runs in a compile worker.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // One result per variant, in order. The caller splits a batch that fails as a whole.
  virtual std::vector<CompiledVariant> compile(const CompileJob& job) = 0;
  // The bytes that a program loads of a module that was compiled here; by default the whole file.
  virtual Result<std::string> loadable_code(const Module& module) const;
  // The contents of a code file with machine code that another program has made.
  virtual Result<std::string> packed(const std::string& machine_code) const;
};

// Compiles the candidate, the reference and the verifier of the job's plan for it. A reference or a verifier
// that does not compile is Status::reference_failed.
Result<void, Failure> compile_programs(Compiler& compiler, const std::string& architecture,
                                       const std::string& cache_dir, RunJob& job);

// Compiles variants of Language::command with the program that they name, which runs as long as the compiler,
// and all others with `own`. The program returns a source, which `own` compiles, or machine code.
// docs/space-file.md describes the lines that it reads and writes.
std::unique_ptr<Compiler> with_commands(std::unique_ptr<Compiler> own);

// Runs in a run worker. A candidate may crash that process.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual RunReply run(const RunJob& job) = 0;
  // One reply per finalist, with a sample of each round, or with its failure.
  virtual std::vector<RunReply> playoff(const PlayoffJob& job) = 0;
};

// The hardware that a worker serves.
struct BackendName {
  std::string kind;  // of DeviceKind, or an architecture
  int ordinal = 0;   // which GPU
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<DeviceInfo> probe() = 0;
  // The same without the versions of compilers and drivers, which take time to find out.
  virtual Result<DeviceInfo> identify() { return probe(); }
  // The name and version of the compiler of host code.
  virtual Result<std::string> host_code_compiler() {
    auto info = GKTUNE_TRY(probe());
    return std::move(info.compiler);
  }
  // The number of devices of this kind, broken ones included.
  virtual Result<int> count() { return 1; }
  virtual Result<std::unique_ptr<Compiler>> compiler() = 0;
  // Limits the memory of a compile worker, so that a compiler that uses too much of it ends alone.
  virtual void limit_compile_worker() {}
  virtual Result<std::unique_ptr<Runner>> runner() = 0;
  // Serves in this process as an ApartProcess. Returns the exit code.
  virtual int execute_apart() { return 1; }
};

struct BackendOptions {
  std::string cxx = "c++";  // the system's C++ compiler, for the host
  std::string cuda_home;    // the CUDA toolkit's folder; empty: the usual places
  std::string cache_dir;    // for compiled code; empty: none is kept
  // Starts a worker with the role `execute` for the same hardware.
  std::vector<std::string> apart_argv;
  // Takes rights from that process before it loads a candidate.
  std::function<Result<void>()> confine = [] { return Result<void>(); };
};

// The task of a worker process: to compile, to run candidates, to answer questions about the hardware, or to
// execute one candidate apart, for a run worker.
GKTUNE_ENUM(WorkerRole, compile, run, describe, execute)

using BackendOpener = std::function<Result<std::unique_ptr<Backend>>()>;

// Answers the parent's requests on descriptor 3 until the parent closes it. Returns the exit code. The parent
// learns why a backend cannot be opened.
int serve_worker(WorkerRole role, const BackendOpener& open);

}  // namespace gktune
