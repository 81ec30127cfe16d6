#include "tuner/device/host/execute/host_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>

namespace gktune {
namespace {

// OpenMP's threads stay in its library after the module is unloaded, so the library has to stay.
void keep_openmp() {
  for (const char* library : {"libgomp.so.1", "libomp.so.5", "libomp.so"}) {
    dlopen(library, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

// Compiled code finds gktune_thread in the program or library that loads it. A library that was opened for
// itself alone, as Python does, has to be made visible.
void show_thread_state() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&show_thread_state), &own) == 0) return;
  dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NODELETE);
}

}  // namespace

void HostModule::Unload::operator()(void* handle) const { dlclose(handle); }

Result<HostModule> HostModule::load(const Module& module) {
  static std::once_flag once;
  std::call_once(once, show_thread_state);
  void* handle = dlopen(module.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{fmt::format("cannot load compiled code: {}", dlerror())};
  HostModule loaded(handle);
  loaded.code_ = code_of(handle);
  keep_openmp();
  for (const std::string& symbol : module.symbols) {
    const void* entry = dlsym(handle, symbol.c_str());
    if (entry == nullptr) return Error{fmt::format("{} has no entry {}", module.path, symbol)};
    loaded.entries_.push_back(static_cast<const kernel::Entry*>(entry));
  }
  return loaded;
}

Result<void, Failure> HostModule::call(std::size_t index, std::span<void* const> arguments,
                                       void* stream) const {
  const CodeAtWork at_work(code_);
  kernel::HostCall call{stream, false, {}};
  entries_[index]->run(arguments.data(), &call);
  if (!call.has_failed) return {};
  return Failure{Status::launch_failed, call.message};
}

Result<void, Failure> HostModule::launch(Executor& executor, std::size_t index, const LaunchShape& shape,
                                         std::span<void* const> arguments) const {
  const kernel::Entry& entry = *entries_[index];
  if (arguments.size() != entry.argument_count) {
    return Failure{Status::launch_failed,
                   fmt::format("it has {} parameters, but the launch passes {} arguments",
                               entry.argument_count, arguments.size())};
  }
  if (!entry.is_kernel) return call(index, arguments, nullptr);
  const CodeAtWork at_work(code_);
  return executor.run(entry, shape, arguments);
}

}  // namespace gktune
