#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// What one kind of hardware brings to the worker device. Each part lives in a process of its own: the parent
// makes none of them but through the `worker` command.

// Lives in a compile worker.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // One answer a variant, in their order. A batch that fails as a whole is taken apart by the caller.
  virtual std::vector<CompiledVariant> compile(const CompileJob& job) = 0;
};

// Lives in a run worker, and may die there.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual RunReply run(const RunJob& job) = 0;
  virtual std::vector<Samples> playoff(const PlayoffJob& job) = 0;
};

// Which hardware a worker serves.
struct BackendName {
  std::string kind;  // cuda, host
  int ordinal = 0;   // which GPU
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Result<DeviceInfo> probe() = 0;
  // How many devices of its kind there are, in order or not.
  virtual Result<int> count() { return 1; }
  virtual Result<std::unique_ptr<Compiler>> compiler() = 0;
  virtual Result<std::unique_ptr<Runner>> runner() = 0;
};

struct BackendOptions {
  std::string cxx = "c++";  // the system's C++ compiler, for the host
  std::string cuda_home;    // the CUDA toolkit's folder; empty: the usual places
};

// The backend of that name, or why this build or machine has none.
Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options);

}  // namespace gktune
