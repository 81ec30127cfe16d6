#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/winners_source.h"
#include "gktune/kernel.h"
#include "runtime/bundle/bundle.h"
#include "runtime/launch_device.h"
#include "tuner/space/definition.h"

namespace gktune {

// The databases and the tuner behind a kernel that is opened from its sources.
class KernelSources {
 public:
  virtual ~KernelSources() = default;
  virtual const std::vector<std::shared_ptr<WinnersSource>>& databases() const = 0;
  // Tunes for the problem, and stores trials and winner in the first database.
  virtual Result<void> tune(const Definition& definition, const Problem& problem, const LaunchDevice& device,
                            double budget_s) = 0;
  // The folder for compiled code.
  virtual const std::string& cache_dir() const = 0;
};

// The parts of a kernel.
struct KernelParts {
  Definition definition;
  KernelSettings settings;
  std::unique_ptr<LaunchDevice> device;
  std::vector<std::shared_ptr<const Bundle>> bundles;
  std::unique_ptr<KernelSources> sources = nullptr;  // null: it has its bundles only, and compiles nothing
};

// An error if the kernel takes textures: only the tuner makes them.
Result<void> check_textures(const KernelDefinition& kernel);

Result<std::vector<std::shared_ptr<const Bundle>>> open_bundles(const KernelSettings& settings);

}  // namespace gktune
