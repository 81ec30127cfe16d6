// The functions of gktune.h that need sources or databases.
#include <utility>

#include "gktune/lookup.h"
#include "runtime/c_api/objects.h"

struct gktune_lookup {
  gktune::Lookup lookup;
};

using gktune::Result;
using namespace gktune::c_api;
using Done = Result<void, CError>;

gktune_code gktune_kernel_open(const char* space_file, const gktune_settings* settings,
                               gktune_kernel** opened) {
  return guarded([&]() -> Done {
    clear(opened);
    if (space_file == nullptr || opened == nullptr)
      return invalid("the space file or the place for the kernel is null");
    auto found =
        gktune::Kernel::open(space_file, settings != nullptr ? settings->settings : gktune::KernelSettings());
    if (!found) return failed(found.error());
    *opened = new gktune_kernel{*std::move(found)};
    return {};
  });
}

gktune_code gktune_lookup_open(const char* const* paths, size_t count, gktune_lookup** opened) {
  return guarded([&]() -> Done {
    clear(opened);
    if (opened == nullptr || (paths == nullptr && count > 0))
      return invalid("the paths or the place is null");
    if (count == 0) return invalid("there is no path");
    std::vector<std::filesystem::path> files;
    for (size_t i = 0; i < count; ++i) {
      if (paths[i] == nullptr) return invalid("path " + std::to_string(i + 1) + " is null");
      files.emplace_back(paths[i]);
    }
    auto lookup = gktune::Lookup::open(files);
    if (!lookup) return failed(lookup.error());
    *opened = new gktune_lookup{*std::move(lookup)};
    return {};
  });
}

gktune_code gktune_lookup_best(const gktune_lookup* lookup, const char* kernel, const char* const* axes,
                               const gktune_value* problem, size_t count, const gktune_device* device,
                               gktune_answer** answer) {
  return guarded([&]() -> Done {
    clear(answer);
    if (lookup == nullptr || kernel == nullptr || answer == nullptr || (axes == nullptr && count > 0)) {
      return invalid("the lookup, the kernel's name, the axes or the place for the answer is null");
    }
    CallList<gktune::AxisValue> values;
    if (auto added = add_values(problem, count, *values); !added) return added;
    gktune::Problem asked;
    for (size_t i = 0; i < count; ++i) {
      if (axes[i] == nullptr) return invalid("the name of axis " + std::to_string(i + 1) + " is null");
      asked.set(axes[i], (*values)[i].value());
    }
    gktune::DeviceIdentity identity;
    if (device != nullptr) {
      const auto text = [](const char* given) { return std::string(given != nullptr ? given : ""); };
      identity = {text(device->kind), text(device->name), text(device->architecture), device->multiprocessors};
    }
    const gktune::Answer found = lookup->lookup.best(kernel, asked, identity);
    if (!found) return CError{GKTUNE_NO_ANSWER, found.reason};
    *answer = new gktune_answer(found);
    return {};
  });
}

void gktune_lookup_destroy(gktune_lookup* lookup) { delete lookup; }
