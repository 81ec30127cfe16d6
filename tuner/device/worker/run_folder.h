#pragma once

#include <filesystem>

#include "tuner/core/result.h"
#include "tuner/process/file_descriptor.h"

namespace gktune {

// A folder for the temporary files of one run and of its processes. It is removed with this object. If the
// process is killed, the next run removes it: a lock tells whether its process
// lives, in other containers too.
class RunFolder {
 public:
  // Below `parent`. Removes the folders that dead processes left there.
  static Result<RunFolder> make(const std::filesystem::path& parent);
  RunFolder(RunFolder&& other) noexcept = default;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  RunFolder(std::filesystem::path path, FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace gktune
