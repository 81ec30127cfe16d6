#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/host/compile/run_compiler.h"
#include "tuner/device/host/compile/toolkit_places.h"
#include "tuner/device/host/compile/translation_unit.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/process/child_process.h"

namespace gktune {

// Compiles CUDA C++ and plain C++ with the system's compiler into shared objects, and keeps them.
class HostCompiler : public Compiler {
 public:
  explicit HostCompiler(std::string cxx, ToolkitPlaces toolkit = {})
      : cxx_(std::move(cxx)), toolkit_(std::move(toolkit)) {}

  std::vector<CompiledVariant> compile(const CompileJob& job) override;
  // "g++ (Debian 12.2.0-14) 12.2.0"; an error where there is no such compiler.
  static Result<std::string> version(const std::string& cxx);

 private:
  bool is_clang() const { return version_.find("clang") != std::string::npos; }
  Result<void> prepare(const CompileJob& job);
  std::string key(const SourcePlan& source) const;
  std::vector<std::string> command(const SourcePlan& source) const;
  CompilerRun build(const SourcePlan& source, const std::string& text, CompileCache& cache);
  CompiledVariant compile_one(const SourcePlan& source, const std::string& key, CompileCache& cache);

  std::string cxx_;
  ToolkitPlaces toolkit_;
  std::string version_;
  std::string headers_;  // the folder with the headers for kernels
  std::string curand_;   // the path of the toolkit's curand_kernel.h; empty: there is none
  std::map<std::string, CompileCache> caches_;
};

}  // namespace gktune
