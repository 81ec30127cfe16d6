#pragma once

#include <memory>
#include <vector>

#include "tests/templates/covering_sample.h"
#include "tuner/device/worker/worker_device.h"
#include "tuner/space/definition.h"

namespace gktune {

// A kernel on a device: for each problem a few configurations, in which every
// value of every parameter occurs.
class CoveringTrials {
 public:
  // The kernel may differ from that of the definition in the addresses of its data and in the device.
  CoveringTrials(const Definition& definition, KernelDefinition kernel, std::unique_ptr<WorkerDevice> device);

  // A trial for each of them; an error says why the problem has none.
  Result<std::vector<Trial>, SpaceError> run(const Problem& problem, CoveringSample::Depth depth);

  const std::vector<Constraint>& constraints() const { return constraints_; }
  // Values that have occurred in no trial so far.
  std::vector<std::string> unseen() const { return sample_.unseen(); }

 private:
  KernelDefinition kernel_;
  std::unique_ptr<WorkerDevice> device_;
  std::vector<Constraint> constraints_;  // the file's and the device's
  CoveringSample sample_;
};

}  // namespace gktune
