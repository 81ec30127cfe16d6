#pragma once

#include <nvrtc.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/dynamic_library.h"
#include "tuner/device/cuda/compile/toolkit.h"

namespace gktune {

// The headers of the standard library that kernels often include, by name, with their texts: NVRTC
// has none of them. A header whose contents NVRTC knows is empty; the others include the toolkit's
// own library for device code.
std::vector<std::pair<std::string, std::string>> standard_headers();

// The input of one compilation.
struct NvrtcSource {
  std::string name;  // in diagnostics
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;  // name and text
  std::vector<std::string> options;
  std::vector<std::string> entries;  // functions and template-ids to compile
};

struct NvrtcOutput {
  bool ok = false;
  std::string log;
  std::string cubin;
  std::vector<std::string> symbols;  // one per entry
};

// The functions of NVRTC in use.
#define GKTUNE_NVRTC_FUNCTIONS(X)                                                                     \
  X(nvrtcVersion)                                                                                     \
  X(nvrtcGetErrorString)                                                                              \
  X(nvrtcGetNumSupportedArchs) X(nvrtcGetSupportedArchs) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) \
      X(nvrtcCompileProgram) X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog) X(nvrtcGetCUBINSize)     \
          X(nvrtcGetCUBIN) X(nvrtcAddNameExpression) X(nvrtcGetLoweredName)

// NVIDIA's run-time compiler, of CUDA 12 or 13. It needs neither GPU nor driver.
class Nvrtc {
 public:
  static Result<Nvrtc> open(const ToolkitPlaces& places);

  NvrtcOutput compile(const NvrtcSource& source) const;

  const std::string& path() const { return library_.path(); }
  std::string version() const { return std::to_string(major_) + '.' + std::to_string(minor_); }
  // 80 for sm_80, in ascending order.
  const std::vector<int>& architectures() const { return architectures_; }

 private:
  struct Functions {
#define GKTUNE_DECLARE(function) decltype(&::function) function;
    GKTUNE_NVRTC_FUNCTIONS(GKTUNE_DECLARE)
#undef GKTUNE_DECLARE
  };
  class Program;

  Nvrtc(DynamicLibrary library, const Functions& functions)
      : library_(std::move(library)), functions_(functions) {}
  // gktune's options that this version knows.
  std::vector<std::string> own_options() const;

  DynamicLibrary library_;
  Functions functions_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;
};

// True if one of the compiler's options begins like this.
bool any_starts_with(const std::vector<std::string>& options,
                     std::initializer_list<std::string_view> beginnings);

// 90 for sm_90 and sm_90a; 0 for any other text.
int architecture_number(std::string_view architecture);

// Returns sm_90a for sm_90: it enables all features of the chip. If the compiler does not know it, returns
// the nearest one that it knows.
std::string real_architecture(const std::string& architecture, const std::vector<int>& known);

}  // namespace gktune
