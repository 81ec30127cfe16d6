#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/answers/kernel_winners.h"
#include "tuner/core/device_info.h"
#include "tuner/core/result.h"

namespace gktune {

struct Definition;
struct SourcePlan;

// Code in memory, with the symbols of its entries.
struct BundledCode {
  std::string_view bytes;
  std::vector<std::string> symbols;
};

// A file with the compiled winners of some kernels and all that launches need: an application that has it
// needs no sources, compiler or database. The file is mapped, not read; its code
// is valid while the object lives.
class Bundle final : public WinnerSet {
 public:
  // An error if the file is no bundle, of another format, or damaged.
  static Result<std::shared_ptr<const Bundle>> open(const std::filesystem::path& path);
  Bundle(const Bundle&) = delete;
  Bundle& operator=(const Bundle&) = delete;
  ~Bundle() override;

  std::vector<std::string> kernels() const;
  KernelWinners of(std::string_view kernel) const override;
  // How the kernel is launched on this device. An error if the bundle has no code for the device.
  Result<Definition> definition(std::string_view kernel, const DeviceInfo& device) const;
  // The code of a variant; nothing if the bundle does not have it.
  std::optional<BundledCode> code(std::string_view kernel, std::string_view fingerprint,
                                  const SourcePlan& source, const DeviceInfo& device) const;

 private:
  struct Code;
  struct Kernel;
  Bundle(std::filesystem::path path, std::string_view bytes);
  Result<void> read();

  std::filesystem::path path_;
  std::string_view bytes_;  // the mapping
  std::vector<Kernel> kernels_;
};

}  // namespace gktune
