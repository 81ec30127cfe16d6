#include "tuner/device/host/execute/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "gktune/element_type.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/device/worker/fault_report.h"

namespace gktune {
namespace {

// For the system's own work.
constexpr double kLoadingS = 0.5;

// OpenMP's threads stay in its library after the module is unloaded, so the library has to stay.
void keep_openmp() {
  for (const char* library : {"libgomp.so.1", "libomp.so.5", "libomp.so"}) {
    dlopen(library, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

// Compiled code finds gktune_thread in the program or library that loads it. A library that was opened for
// itself alone, as Python does, has to be made visible. False: compiled code finds that of another library.
bool show_thread_state() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&show_thread_state), &own) != 0)
    dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NODELETE);
  return dlsym(RTLD_DEFAULT, "gktune_thread") == &gktune_thread;
}

// True if this process has threads besides the calling one.
bool has_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return !error && std::distance(begin(tasks), end(tasks)) > 1;
}

}  // namespace

void SharedObject::Unload::operator()(void* handle) const {
  if (may_keep_threads && has_threads()) return;
  const BoundedStep destructors(kLoadingS);
  dlclose(handle);
}

Result<SharedObject> SharedObject::load(const Module& module, bool may_keep_threads) {
  static const bool finds_own_state = show_thread_state();
  if (!finds_own_state)
    return Error{
        "this process has loaded gktune's library twice, and only one of the two can run code on the CPU"};
  void* const handle = [&] {
    const BoundedStep constructors(kLoadingS);
    return dlopen(module.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  if (handle == nullptr) return Error{fmt::format("cannot load compiled code: {}", dlerror())};
  SharedObject loaded(handle, may_keep_threads);
  loaded.code_ = code_of(handle);
  keep_openmp();
  for (const std::string& symbol : module.symbols) {
    const void* entry = dlsym(handle, symbol.c_str());
    if (entry == nullptr) return Error{fmt::format("{} has no entry {}", module.path, symbol)};
    loaded.entries_.push_back(static_cast<const kernel::Entry*>(entry));
  }
  return loaded;
}

Result<void, Failure> SharedObject::call(std::size_t index, std::span<void* const> arguments,
                                         void* stream) const {
  const CodeAtWork at_work(code_);
  // CUDA's runtime library loads kernels at their first launch.
  const BoundedStep step(stream != nullptr ? kLoadingS : 0);
  kernel::LauncherCall call{stream, false, {}};
  entries_[index]->run(arguments.data(), &call);
  if (!call.has_failed) return {};
  return Failure{Status::launch_failed, call.message};
}

Result<void, Failure> SharedObject::launch(Executor& executor, std::size_t index, const LaunchShape& shape,
                                           std::span<void* const> arguments) const {
  const kernel::Entry& entry = *entries_[index];
  if (!entry.is_kernel) return call(index, arguments, nullptr);
  const CodeAtWork at_work(code_);
  const BoundedStep step;
  return executor.run(entry, shape, arguments);
}

namespace {

// The reason why the entry cannot take the arguments of the step.
std::optional<std::string> misfit(const kernel::Entry& entry, const StepPlan& step,
                                  const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments,
                                  const PassedValues& passed) {
  if (entry.argument_count != step.arguments.size()) {
    return step.entry + " has " + std::to_string(entry.argument_count) + " parameters and is given " +
           std::to_string(step.arguments.size()) + " arguments";
  }
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const ArgumentPlan& argument = passed_argument(arguments, program, step.arguments[i]);
    const std::string which = "parameter " + std::to_string(i + 1) + " of " + step.entry;
    const bool is_struct = !argument.members.empty(),
               is_buffer = !argument.is_scalar && !is_struct && !argument.is_texture();
    if (entry.argument_is_pointer[i] != is_buffer) {
      if (is_struct) return which + " is a pointer, the launch passes a struct";
      return which + (argument.is_scalar ? " is a pointer, '" + argument.name + "' is a scalar"
                                         : " is no pointer, '" + argument.name + "' is a buffer");
    }
    const std::size_t size = passed.bytes(step.arguments[i]);
    if (entry.argument_bytes[i] == size) continue;
    const std::string has = which + " has " + std::to_string(entry.argument_bytes[i]) + " bytes, ";
    if (is_struct) return has + "the struct that the launch passes has " + std::to_string(size);
    return has + "'" + argument.name + "' is " + std::string(element_type_name(argument.type)) + " and has " +
           std::to_string(size);
  }
  return std::nullopt;
}

}  // namespace

Result<SharedObjectSteps, Failure> SharedObjectSteps::load(const Module& module, const ProgramPlan& plan,
                                                           const std::vector<ArgumentPlan>& arguments) {
  // A missing or damaged file says nothing about the configuration.
  if (auto whole = CompileCache::verify(module.path); !whole)
    return Failure{Status::machine_failed, whole.error().message};
  auto loaded = SharedObject::load(
      module, plan.source.language == Language::cpp || plan.source.language == Language::command);
  std::fenv_t mode;
  std::fegetenv(&mode);
  std::fesetenv(FE_DFL_ENV);
  if (!loaded) return Failure{Status::launch_failed, loaded.error().message};
  SharedObjectSteps program{*std::move(loaded),        mode, {}, {}, {}, PassedValues(arguments, plan),
                            buffer_bytes_of(arguments)};
  for (const auto& [plans, steps] :
       {std::pair(&plan.steps, &program.steps), std::pair(&plan.setup_once, &program.setup_once),
        std::pair(&plan.setup_each, &program.setup_each)}) {
    for (const StepPlan& step : *plans) {
      std::size_t entry = 0;
      if (!step.entry.empty()) {
        const auto place = program.place_of(step.entry, plan);
        if (!place) return place.error();
        entry = *place;
        if (auto why = misfit(program.module.entry(entry), step, plan, arguments, program.passed))
          return Failure{Status::launch_failed, *std::move(why)};
      }
      steps->push_back({step, entry});
    }
  }
  return program;
}

Result<std::size_t, Failure> SharedObjectSteps::place_of(const std::string& entry,
                                                         const ProgramPlan& plan) const {
  const auto found = std::ranges::find(plan.source.entries, entry);
  const auto place = static_cast<std::size_t>(found - plan.source.entries.begin());
  if (place < module.entry_count()) return place;
  return Failure{Status::launch_failed, "the compiled code has no " + entry};
}

}  // namespace gktune
