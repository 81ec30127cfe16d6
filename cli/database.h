#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "db/sqlite_store.h"
#include "tuner/core/result.h"

namespace gktune {

// The database of --db, or the default one.
std::filesystem::path database_path(const std::string& flag, const Context& context);
// For a suggested command line: " --db other.db"; empty for the default database.
std::string database_flag(const std::string& flag);
// Opens it for reading. Prints an error and a hint if there is none.
std::unique_ptr<TrialStore> open_database(const std::string& flag, Context& context);

// A database in a folder of its own that is removed with this object, for results that are not kept.
class ScratchDatabase {
 public:
  static Result<ScratchDatabase> make();
  ScratchDatabase(ScratchDatabase&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  ~ScratchDatabase();

  std::filesystem::path path() const { return folder_ / "scratch.db"; }

 private:
  explicit ScratchDatabase(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace gktune
