#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/device/host/translation_unit.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

struct HostCompilerOptions {
  std::string cxx = "c++";
  std::string
      headers_dir;  // what kernels are compiled against; empty: what the program carries, put in the cache
};

// Compiles CUDA C++ and plain C++ with the system's compiler into shared objects, and keeps them.
class HostCompiler : public Compiler {
 public:
  explicit HostCompiler(HostCompilerOptions options);

  std::vector<CompiledVariant> compile(const CompileJob& job) override;
  // "g++ (Debian 12.2.0-14) 12.2.0"; an error where there is no such compiler.
  static Result<std::string> version(const std::string& cxx);

 private:
  struct Todo {
    std::size_t index;  // in the job
    NamedVariant variant;
    std::string key;
  };

  bool is_clang() const { return version_.find("clang") != std::string::npos; }
  Result<void> prepare(const CompileJob& job);
  std::string key(const SourcePlan& source, Instrumentation instrumentation) const;
  std::vector<std::string> command(const SourcePlan& source, Instrumentation instrumentation) const;
  // What a process has to be started with that loads code of this kind.
  std::vector<std::pair<std::string, std::string>> environment_for(Language language,
                                                                   Instrumentation instrumentation);
  void compile_unit(const CompileJob& job, std::span<const Todo> unit,
                    std::vector<CompiledVariant>& compiled);

  HostCompilerOptions options_;
  std::string version_;
  std::string headers_;
  std::string folder_;
  std::string address_sanitizer_;  // its library, once it was asked for
};

}  // namespace gktune
