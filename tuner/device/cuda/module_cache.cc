#include "tuner/device/cuda/module_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tuner/device/cuda/atomic_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gktune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kModuleSuffix = ".module", kVariantSuffix = ".variant";
// A file younger than this may be on its way to a run worker.
constexpr auto kInUse = std::chrono::minutes(10);

void touch(const fs::path& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

}  // namespace

std::string content_key(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::string key;
  for (unsigned char byte : canonical.digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    key += kDigits[byte >> 4];
    key += kDigits[byte & 15];
  }
  return key;
}

std::optional<CompiledVariant> ModuleCache::find(const std::string& key) const {
  const fs::path path = folder_ / (key + std::string(kVariantSuffix));
  const auto text = read_whole(path);
  if (!text) return std::nullopt;
  const json entry = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!entry.is_object() || !entry.contains("log") || !entry.contains("symbols")) return std::nullopt;

  CompiledVariant variant;
  variant.log = entry["log"].get<std::string>();
  variant.from_cache = true;
  const std::string module = entry.value("module", "");
  if (module.empty()) {
    variant.status = Status::compile_failed;
  } else {
    variant.module.path = (folder_ / module).string();
    variant.module.symbols = entry["symbols"].get<std::vector<std::string>>();
    std::error_code error;
    if (!fs::exists(variant.module.path, error)) return std::nullopt;
    touch(variant.module.path);
  }
  touch(path);
  return variant;
}

Result<std::string> ModuleCache::add_module(const CompiledModule& module) {
  const fs::path path = folder_ / (content_key(module.cubin) + std::string(kModuleSuffix));
  if (auto written = write_module(path, module); !written) return written.error();
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (!error) added_bytes_ += size;
  if (is_first_ || added_bytes_ > limit_bytes_ / 8) trim();
  return path.string();
}

Result<void> ModuleCache::add(const std::string& key, const CompiledVariant& variant) {
  const json entry{{"log", variant.log},
                   {"module", fs::path(variant.module.path).filename().string()},
                   {"symbols", variant.module.symbols}};
  const std::string text = entry.dump(-1, ' ', false, json::error_handler_t::replace);
  return write_atomically(folder_ / (key + std::string(kVariantSuffix)), text);
}

void ModuleCache::trim() {
  is_first_ = false;
  added_bytes_ = 0;
  struct File {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const auto suffix = entry.path().extension();
    if (suffix != kModuleSuffix && suffix != kVariantSuffix) continue;
    std::error_code gone;  // another process trims too
    File file{entry.path(), entry.last_write_time(gone), entry.file_size(gone)};
    if (gone) continue;
    total += file.size;
    files.push_back(std::move(file));
  }
  if (total <= limit_bytes_) return;
  std::ranges::sort(files, {}, &File::used);
  const auto youngest = fs::file_time_type::clock::now() - kInUse;
  for (const auto& file : files) {
    if (total <= limit_bytes_ / 4 * 3 || file.used > youngest) break;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    total -= file.size;
  }
}

}  // namespace gktune
