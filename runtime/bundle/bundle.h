#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/kernel_winners.h"
#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"

namespace gktune {

struct SourcePlan;
struct StoredCode;

// The part of a definition that launches need, as JSON: axes, arguments, launches, constraints, options. Expressions
// are texts without names; sources, references, checks and metrics are left out.
std::string definition_text(Definition definition);
// The opposite. Throws std::exception for other texts.
Definition definition_from(const std::string& text);

// A hash of what makes a variant of a source: macros, options, entries, the request to a command.
std::string variant_key(const SourcePlan& source);

// A database with winners, their compiled code and all that launches need: an application that has it needs no
// sources and no compiler. The file is read when it is opened, and not looked at again; its code is valid while the object lives.
class Bundle {
 public:
  // An error if the file is no database, or holds no compiled code.
  // Null bytes: they are read from the file.
  static Result<std::shared_ptr<const Bundle>> open(const std::filesystem::path& path,
                                                    const std::string* bytes = nullptr);
  ~Bundle();

  std::vector<std::string> kernels() const;
  const WinnersByKernel& winners() const { return winners_; }
  // How the kernel is launched on this device. An error if the bundle has no code for the device.
  Result<Definition> definition(std::string_view kernel, const DeviceInfo& device) const;
  // The code of a variant; null if the bundle does not have it.
  const StoredCode* code(std::string_view kernel, std::string_view fingerprint, const SourcePlan& source,
                         const DeviceInfo& device) const;

 private:
  explicit Bundle(std::filesystem::path path);
  Result<void> read(const std::string* bytes);

  std::filesystem::path path_;
  WinnersByKernel winners_;
  std::vector<std::pair<std::string, Definition>> definitions_;  // with the kind of device
  std::vector<StoredCode> codes_;
};

}  // namespace gktune
