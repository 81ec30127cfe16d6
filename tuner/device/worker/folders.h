#pragma once

#include <filesystem>

#include "gktune/result.h"
#include "tuner/process/file_descriptor.h"

namespace gktune {
// Makes the folder and its missing parents with mode 0700, and returns its absolute path without symbolic
// links. An error: another user owns or can write the folder or one of its parents. Root is trusted; a parent
// with the sticky bit, such as /tmp, protects what is in it. Code is loaded from the folder.
Result<std::filesystem::path> make_private_folder(const std::filesystem::path& path);

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
