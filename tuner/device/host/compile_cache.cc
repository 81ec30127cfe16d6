#include "tuner/device/host/compile_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace gktune {
namespace fs = std::filesystem;

CompileCache::CompileCache(std::string folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

Result<void> CompileCache::open() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_))
    return Error{fmt::format("cannot make the folder {}: {}", folder_, error.message())};
  return {};
}

std::string CompileCache::path(const std::string& key) const {
  return (fs::path(folder_) / (key + ".so")).string();
}

std::optional<std::string> CompileCache::find(const std::string& key) {
  std::string found = path(key);
  std::error_code error;
  fs::last_write_time(found, fs::file_time_type::clock::now(), error);
  if (error) return std::nullopt;
  return found;
}

std::string CompileCache::scratch_path(const std::string& suffix) {
  return (fs::path(folder_) / fmt::format("{}-{}{}", getpid(), scratch_count_++, suffix)).string();
}

Result<void> CompileCache::keep(const std::string& file, const std::vector<std::string>& keys) {
  std::error_code error;
  for (const std::string& key : keys) {
    // One file with a name for each variant in it.
    const std::string aside = scratch_path(".so");
    fs::create_hard_link(file, aside, error);
    if (error) fs::copy_file(file, aside, error);
    if (!error) fs::rename(aside, path(key), error);
    if (error) return Error{fmt::format("cannot write {}: {}", path(key), error.message())};
  }
  fs::remove(file, error);
  shrink();
  return {};
}

void CompileCache::shrink() {
  struct Kept {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes;
  };
  std::vector<Kept> all;
  std::uint64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() != ".so") continue;
    const std::uintmax_t links = std::max<std::uintmax_t>(1, entry.hard_link_count(error));
    const std::uintmax_t bytes = entry.file_size(error) / links;
    if (error) continue;
    all.push_back({entry.path(), entry.last_write_time(error), bytes});
    total += bytes;
  }
  if (total <= max_bytes_) return;
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  // Down to three quarters, so that not every compilation has to do this.
  for (const Kept& kept : all) {
    if (total <= max_bytes_ / 4 * 3) return;
    if (fs::remove(kept.path, error)) total -= kept.bytes;
  }
}

}  // namespace gktune
