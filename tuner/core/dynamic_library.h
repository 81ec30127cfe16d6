#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"

namespace gktune {

// A shared library opened at run time. It stays until the process ends: the CUDA
// libraries cannot be unloaded safely.
class DynamicLibrary {
 public:
  // Opens the first of these names that is found in the directories, in order, or by the system's loader. An
  // error lists the names and places.
  static Result<DynamicLibrary> open(std::string_view purpose, const std::vector<std::string>& names,
                                     const std::vector<std::string>& directories);

  // Null if the library has no such symbol.
  void* symbol(const char* name) const;
  // The path of the loaded file.
  const std::string& path() const { return path_; }

 private:
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

// Loads functions of a library into pointers to functions.
class FunctionLoader {
 public:
  explicit FunctionLoader(const DynamicLibrary& library) : library_(library) {}

  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(library_.symbol(name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  // An error names the first function that the library does not have.
  Result<void> done() const {
    if (missing_.empty()) return {};
    return Error{library_.path() + " has no function " + missing_};
  }

 private:
  const DynamicLibrary& library_;
  std::string missing_;
};

}  // namespace gktune
