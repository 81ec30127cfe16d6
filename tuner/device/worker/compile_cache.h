#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gktune/result.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// Compiled variants on disk. A key covers everything that a variant is made from. Variants compiled together
// share a code file. Several processes may use the folder at once: files appear complete and stay for a
// day. Each file is verified by a digest of its contents before it is used.
class CompileCache {
 public:
  // Unfinished and temporary files are in the folder `scratch`, by default in the cache itself.
  explicit CompileCache(std::filesystem::path folder, std::filesystem::path scratch = {},
                        std::uintmax_t limit_bytes = std::uintmax_t{2} << 30)
      : folder_(std::move(folder)),
        scratch_(scratch.empty() ? folder_ : std::move(scratch)),
        limit_bytes_(limit_bytes) {}

  // Includes variants that do not compile. Nothing: unknown or damaged; what is damaged is removed, and a new
  // compilation replaces it.
  std::optional<CompiledVariant> find(const std::string& key) const;
  // Returns the path of a file with this code, named after its contents.
  Result<std::string> add_code(std::string_view code);
  // An error: the file is missing, or it is not what add_code wrote. Call it before the code is loaded.
  static Result<void> verify(const std::string& code_path);
  // The module's path comes from add_code.
  Result<void> add(const std::string& key, const CompiledVariant& variant);
  // A path that no other process writes to, for a compiler's temporary files.
  std::string scratch_path(const std::string& name) const;

 private:
  void note_added(std::uintmax_t bytes);
  // Removes the least recently used files if the folder is too large.
  void trim();

  std::filesystem::path folder_, scratch_;
  std::uintmax_t limit_bytes_;
  std::uintmax_t added_bytes_ = 0;  // since the last trim
  bool is_first_ = true;
};

}  // namespace gktune
