#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// A shared library opened at run time, for as long as the process lives: the CUDA libraries do not take
// kindly to being unloaded, so that is left to the end of the process.
class DynamicLibrary {
 public:
  // The first of the names that opens: each in the directories, in their order, then wherever the system's
  // loader looks. An error says what was looked for, and where.
  static Result<DynamicLibrary> open(std::string_view purpose, const std::vector<std::string>& names,
                                     const std::vector<std::string>& directories);

  // Null where it has none of that name.
  void* symbol(const char* name) const;
  // Where it was found.
  const std::string& path() const { return path_; }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

}  // namespace gktune
