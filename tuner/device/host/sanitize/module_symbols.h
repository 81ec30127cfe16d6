#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gktune {

// Writes the user's source line that the code at this address was compiled from, "reduce.cu:42", or nothing
// if it cannot be found. Allocates nothing, so that a signal handler can call it.
void find_source_line(const void* code, char* line, std::size_t size);

// Read from the symbols of a module of instrumented kernels.
struct ModuleSymbols {
  struct Range {
    std::uintptr_t begin, end;
  };
  // The code of functions of CUDA, the C++ library and this project, in ascending order, in bytes from the
  // module's beginning.
  std::vector<Range> library_functions;
  // The bytes that tell if a function's variable is initialised: offsets among the thread-local variables.
  // GCC makes one for each shared variable of a type with a constructor. The
  // user's code does not contain them.
  std::vector<std::uintptr_t> guard_variables;

  bool is_library(std::uintptr_t code) const;
  bool is_guard(std::uintptr_t thread_local_offset) const;
};

// Returns no symbols if the file cannot be read.
ModuleSymbols read_module_symbols(const std::string& path);

}  // namespace gktune
