#include "tuner/core/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

#include "tuner/core/text.h"

namespace gktune {
namespace {

std::string path_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr)
    return otherwise;
  return map->l_name;
}

constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(std::string_view purpose, const std::vector<std::string>& names,
                                            const std::vector<std::string>& directories) {
  std::vector<std::string> refusals;  // of files that are there
  for (const auto& directory : directories) {
    for (const auto& name : names) {
      const std::string path = directory + '/' + name;
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) continue;
      if (void* handle = dlopen(path.c_str(), kMode)) return DynamicLibrary(handle, path_of(handle, path));
      refusals.emplace_back(dlerror());
    }
  }
  for (const auto& name : names) {
    if (void* handle = dlopen(name.c_str(), kMode)) return DynamicLibrary(handle, path_of(handle, name));
  }
  std::string message = std::string(purpose) + " not found: looked for " + joined(names, " or ") + " in ";
  if (!directories.empty()) message += joined(directories, ", ") + " and ";
  message += "the directories of the system's loader";
  if (!refusals.empty()) message += "; refused: " + joined(refusals, "; ");
  return Error{std::move(message)};
}

void* DynamicLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace gktune
