#include "tuner/device/worker/compile_cache.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "tuner/core/files.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/fingerprint.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCodeSuffix = ".code";
constexpr const char* kVariantSuffix = ".variant";
// A tuner may still load a file that it found or made more recently.
constexpr auto kInUse = std::chrono::hours(24);

// A digest, then the variant.
std::optional<CompiledVariant> read_entry(const fs::path& path) {
  static const std::size_t digest_length = content_key({}).size();
  const auto entry = read_whole(path);
  if (!entry || entry->size() < digest_length) return std::nullopt;
  const std::string bytes = entry->substr(digest_length);
  if (content_key(bytes) != std::string_view(*entry).substr(0, digest_length)) return std::nullopt;
  auto known = decode<std::vector<CompiledVariant>>(bytes);
  if (!known || known->size() != 1) return std::nullopt;
  return std::move(known->front());
}

void mark_as_used(const fs::path& path) {
  std::error_code ignored;  // the folder may be read-only
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

bool is_ours(const fs::path& path) {
  return path.extension() == kCodeSuffix || path.extension() == kVariantSuffix || is_unfinished(path);
}

}  // namespace

std::optional<CompiledVariant> CompileCache::find(const std::string& key) const {
  const fs::path path = folder_ / (key + kVariantSuffix);
  std::error_code ignored;
  auto known = read_entry(path);
  if (!known) {
    fs::remove(path, ignored);
    return std::nullopt;
  }
  CompiledVariant variant = *std::move(known);
  variant.from_cache = true;
  variant.seconds = 0;
  if (variant.status == Status::ok) {
    const fs::path code_path = folder_ / variant.module.path;
    if (!verify(code_path)) {
      fs::remove(code_path, ignored);
      fs::remove(path, ignored);
      return std::nullopt;
    }
    variant.module.path = code_path.string();
    mark_as_used(code_path);
  }
  mark_as_used(path);
  return variant;
}

Result<std::string> CompileCache::add_code(std::string_view code) {
  const fs::path path = folder_ / (content_key(code) + kCodeSuffix);
  GKTUNE_TRY(write_atomically(path, code, scratch_));
  note_added(code.size());
  return path.string();
}

Result<void> CompileCache::verify(const std::string& code_path) {
  const auto code = read_whole(code_path);
  if (!code) return Error{"there is no compiled code at " + code_path};
  if (content_key(*code) == fs::path(code_path).stem()) return {};
  return Error{"the compiled code in " + code_path + " is damaged"};
}

Result<void> CompileCache::add(const std::string& key, const CompiledVariant& variant) {
  CompiledVariant entry = variant;
  entry.module.path = fs::path(variant.module.path).filename().string();  // the folder may move
  const std::string bytes = encode(std::vector{std::move(entry)});
  return write_atomically(folder_ / (key + kVariantSuffix), content_key(bytes) + bytes, scratch_);
}

std::string CompileCache::scratch_path(const std::string& name) const {
  return unfinished_path(scratch_ / name).string();
}

void CompileCache::note_added(std::uintmax_t bytes) {
  added_bytes_ += bytes;
  if (is_first_ || added_bytes_ > limit_bytes_ / 8) trim();
}

void CompileCache::trim() {
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
    if (!is_ours(entry.path())) continue;
    std::error_code gone;  // another process trims too
    File file{entry.path(), entry.last_write_time(gone), entry.file_size(gone)};
    if (gone) continue;
    total += file.size;
    files.push_back(std::move(file));
  }
  if (total <= limit_bytes_) return;
  std::ranges::sort(files, {}, &File::used);
  const auto youngest = fs::file_time_type::clock::now() - kInUse;
  // Down to three quarters, so that the next trim is not due at once.
  for (const auto& file : files) {
    if (total <= limit_bytes_ / 4 * 3 || file.used > youngest) break;
    std::error_code kept;  // another process may have removed it
    fs::remove(file.path, kept);
    if (!kept) total -= file.size;
  }
}

}  // namespace gktune
