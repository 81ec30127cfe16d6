#include "tests/host/kernels.h"

#include <algorithm>
#include <stdexcept>

namespace gktune {
namespace {

SharedObject load(const Module& module) {
  Result<SharedObject> loaded = SharedObject::load(module);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return *std::move(loaded);
}

}  // namespace

std::vector<std::string> compilers() { return {GKTUNE_TEST_COMPILERS}; }

std::string compiler_label(const testing::TestParamInfo<std::string>& info) {
  std::string label = info.param;
  std::replace(label.begin(), label.end(), '+', 'p');
  return label;
}

std::string kernel_cache() { return GKTUNE_KERNEL_CACHE; }

SourcePlan kernel_source(std::string text, std::vector<std::string> entries,
                         std::vector<std::pair<std::string, std::string>> macros) {
  SourcePlan source;
  source.path = "kernel.cu";
  source.text = std::move(text);
  source.entries = std::move(entries);
  source.macros = std::move(macros);
  return source;
}

CompiledVariant try_compile(const std::string& cxx, const SourcePlan& source) {
  HostCompiler compiler(cxx);
  return compiler.compile({{source}, "", kernel_cache()}).at(0);
}

SourcePlan instrumented_for(const ExecutionSettings& settings, SourcePlan source) {
  if (settings.watch != nullptr) source.instrumentation = Instrumentation::sanitize;
  return source;
}

Module compile_kernel(const std::string& cxx, const SourcePlan& source) {
  CompiledVariant compiled = try_compile(cxx, source);
  if (compiled.status != Status::ok) throw std::runtime_error(compiled.log);
  return compiled.module;
}

Kernels::Kernels(const std::string& cxx, SourcePlan source, ExecutionSettings settings)
    : module_(load(compile_kernel(cxx, instrumented_for(settings, std::move(source))))),
      executor_(settings) {}

LaunchShape shape(std::int64_t blocks, std::int64_t threads, std::int64_t shared_bytes) {
  return {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes};
}

}  // namespace gktune
