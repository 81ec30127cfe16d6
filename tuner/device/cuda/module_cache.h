#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuner/core/result.h"
#include "tuner/device/cuda/module_file.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// Compiled variants on disk, from this run and earlier ones. Variants that were compiled in one program share
// a file of machine code. Several processes may use the folder at once.
class ModuleCache {
 public:
  ModuleCache(std::filesystem::path folder, std::uintmax_t limit_bytes)
      : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

  // Also of a variant that did not compile: it will not the next time.
  std::optional<CompiledVariant> find(const std::string& key) const;
  // The path of its file, which is named after what it holds.
  Result<std::string> add_module(const CompiledModule& module);
  Result<void> add(const std::string& key, const CompiledVariant& variant);

 private:
  // Drops the files that were not used for the longest time once there are too many.
  void trim();

  std::filesystem::path folder_;
  std::uintmax_t limit_bytes_;
  std::uintmax_t added_bytes_ = 0;  // since the folder was last looked through
  bool is_first_ = true;
};

// A name of 32 hexadecimal digits for some bytes: XXH3 of 128 bits.
std::string content_key(std::string_view bytes);

}  // namespace gktune
