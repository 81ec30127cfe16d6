#include "engine/device/device_cache.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/core/version.h"
#include "tuner/core/whole_file.h"
#include "tuner/device/worker/job.h"
#include "tuner/device/worker/private_folder.h"
#include "tuner/space/content_key.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// All files and folders below this one, by their paths.
std::vector<fs::path> paths_below(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  std::ranges::sort(paths);
  return paths;
}

// The lines about a GPU that stay the same whether or not the driver has started it.
std::string lasting_lines(const std::string& information) {
  std::string lasting;
  std::istringstream lines(information);
  for (std::string line; std::getline(lines, line);) {
    for (const char* name : {"Model:", "Bus Location:", "Device Minor:"}) {
      if (line.starts_with(name)) lasting += line + '\n';
    }
  }
  return lasting;
}

}  // namespace

std::string gpus_of_machine(const fs::path& proc) {
  const auto boot = read_whole(proc / "sys/kernel/random/boot_id");
  const auto driver = read_whole(proc / "driver/nvidia/version");
  if (!boot || !driver) return {};
  std::string text = *boot + *driver;
  std::size_t gpus = 0;
  for (const fs::path& path : paths_below(proc / "driver/nvidia/gpus")) {
    if (path.filename() != "information") continue;
    const auto information = read_whole(path);
    if (!information) return {};
    text += path.string() + '\n' + lasting_lines(*information);
    ++gpus;
  }
  // The parts of a divided GPU.
  for (const fs::path& path : paths_below(proc / "driver/nvidia/capabilities")) text += path.string() + '\n';
  return gpus > 0 ? text : std::string();
}

DeviceCache::DeviceCache(fs::path folder, const std::string& machine, const std::string& settings)
    : folder_(std::move(folder)) {
  if (folder_.empty() || machine.empty()) return;
  key_ = content_key(std::string(kVersion) + '\n' + settings + '\n' + machine);
}

fs::path DeviceCache::path_of(const BackendName& backend) const {
  return folder_ / (backend.kind + '-' + std::to_string(backend.ordinal) + ".device");
}

// The key, a digest of the description, and the description.
std::optional<DeviceInfo> DeviceCache::find(const BackendName& backend) const {
  if (!keeps(backend)) return std::nullopt;
  const auto entry = read_whole(path_of(backend));
  if (!entry || entry->size() < 2 * key_.size() || !entry->starts_with(key_)) return std::nullopt;
  const std::string_view digest = std::string_view(*entry).substr(key_.size(), key_.size());
  const std::string bytes = entry->substr(2 * key_.size());
  if (content_key(bytes) != digest) return std::nullopt;
  auto info = decode<DeviceInfo>(bytes);
  if (!info) return std::nullopt;
  return *std::move(info);
}

// If it cannot be kept, the next run asks again.
void DeviceCache::keep(const BackendName& backend, const DeviceInfo& info) const {
  if (!keeps(backend) || !make_private_folder(folder_)) return;
  const std::string bytes = encode(info);
  (void)write_atomically(path_of(backend), key_ + content_key(bytes) + bytes);
}

void DeviceCache::forget(const BackendName& backend) const {
  std::error_code ignored;
  if (keeps(backend)) fs::remove(path_of(backend), ignored);
}

}  // namespace gktune
