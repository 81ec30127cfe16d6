#pragma once

#include <string>
#include <string_view>
#include <utility>
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

// Finds functions of a library, also for the members of a struct behind it:
//   FunctionLoader find;
//   int (*version)() = find("version");
class FunctionLoader {
 public:
  explicit FunctionLoader(DynamicLibrary library) : library_(std::move(library)) {}

  // Becomes a pointer to a function of any type.
  struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };
  Symbol operator()(const char* name) {
    const Symbol found = if_there(name);
    if (found.address == nullptr && missing_.empty()) missing_ = name;
    return found;
  }
  // Null if the library does not have it, which is no error.
  Symbol if_there(const char* name) const { return {library_.symbol(name)}; }
  // An error names the first function that the library does not have.
  Result<void> done() const {
    if (missing_.empty()) return {};
    return Error{library_.path() + " has no function " + missing_};
  }
  const DynamicLibrary& library() const { return library_; }

 private:
  DynamicLibrary library_;
  std::string missing_;
};

}  // namespace gktune
