#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// Shared objects, kept by a key that stands for all they were made from. Several processes may use one
// folder.
class CompileCache {
 public:
  explicit CompileCache(std::string folder, std::uint64_t max_bytes = std::uint64_t{512} << 20);

  // Makes the folder.
  Result<void> open();
  std::optional<std::string> find(const std::string& key);
  // A path in the same folder for a compiler to write to.
  std::string scratch_path(const std::string& suffix);
  // Keeps the file under each of the keys, all at once each, and removes what was used longest ago where the
  // folder has grown too large.
  Result<void> keep(const std::string& file, const std::vector<std::string>& keys);
  std::string path(const std::string& key) const;

 private:
  void shrink();

  std::string folder_;
  std::uint64_t max_bytes_;
  unsigned scratch_count_ = 0;
};

}  // namespace gktune
