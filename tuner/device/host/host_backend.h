#pragma once

#include <memory>

#include "tuner/device/worker/backend.h"

namespace gktune {

// This machine's processor, programmed by its C++ compiler.
class HostBackend final : public Backend {
 public:
  explicit HostBackend(BackendOptions options) : options_(std::move(options)) {}

  Result<DeviceInfo> probe() override;
  Result<DeviceInfo> identify() override;
  Result<std::unique_ptr<Compiler>> compiler() override;
  void limit_compile_worker() override;
  Result<std::unique_ptr<Runner>> runner() override;

 private:
  BackendOptions options_;
};

}  // namespace gktune
