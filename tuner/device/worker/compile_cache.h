#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// Compiled variants on disk, from this run and earlier ones, each under a key that stands for all it was made
// from. Variants that were compiled together share a file of code. Several processes may use the folder at
// once: what one of them reads is whole, and stays there for a while; who needs it for longer says so.
class CompileCache {
 public:
  explicit CompileCache(std::filesystem::path folder, std::uintmax_t limit_bytes = std::uintmax_t{2} << 30)
      : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

  // Also of a variant that was kept because it does not compile. Nothing where what was kept is damaged: it
  // is replaced once the variant is compiled anew.
  std::optional<CompiledVariant> find(const std::string& key) const;
  // The path of a file with this code, for a process to load. It is named after what it holds.
  Result<std::string> add_code(std::string_view code);
  // From now on this file of code stays there for as long as one that was just found.
  static void keep(const std::string& code_path);
  // Its code is a file that add_code made.
  Result<void> add(const std::string& key, const CompiledVariant& variant);
  // A path in the folder that no other process writes to, for a compiler's own files. What is left there goes
  // as all else does.
  std::string scratch_path(const std::string& name) const;

 private:
  void note_added(std::uintmax_t bytes);
  // Drops the files that were not used for the longest time once there are too many.
  void trim();

  std::filesystem::path folder_;
  std::uintmax_t limit_bytes_;
  std::uintmax_t added_bytes_ = 0;  // since the folder was last looked through
  bool is_first_ = true;
};

}  // namespace gktune
