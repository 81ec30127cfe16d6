#include "tuner/device/cuda/compile/module_cache.h"

#include <algorithm>

#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/worker/compile_cache.h"

namespace gktune {

namespace {

constexpr std::size_t kMost = 16;

// The sections of global variables have such names, those of constants others.
bool has_variables(std::string_view cubin) { return cubin.find(".nv.global") != cubin.npos; }

// printf and assert are calls of functions with these names.
bool may_print(std::string_view cubin) {
  return cubin.find("vprintf") != cubin.npos || cubin.find("__assertfail") != cubin.npos;
}

}  // namespace

Result<std::shared_ptr<const CachedModule>, Failure> ModuleCache::get(const std::string& path) {
  const auto known = std::ranges::find_if(modules_, [&](const auto& module) { return module->path == path; });
  if (known != modules_.end()) {
    modules_.splice(modules_.begin(), modules_, known);
    return modules_.front();
  }
  if (auto whole = CompileCache::verify(path); !whole) {
    return Failure{Status::machine_failed, whole.error().message};
  }
  auto compiled = read_module(path);
  if (!compiled) return Failure{Status::machine_failed, compiled.error().message};
  LoadedModule code = gpu_.load(compiled->cubin);
  if (auto failure = gpu_.take_failure()) return *failure;
  auto module = std::make_shared<const CachedModule>(path, std::move(code), std::move(compiled->kernels),
                                                     may_print(compiled->cubin));
  if (has_variables(compiled->cubin)) return module;
  modules_.push_front(std::move(module));
  if (modules_.size() > kMost) modules_.pop_back();
  return modules_.front();
}

}  // namespace gktune
