#include "tuner/device/host/compile/kernel_headers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tuner/space/content_key.h"

namespace gktune {
namespace fs = std::filesystem;

Result<std::string> place_kernel_headers(const std::string& folder) {
  std::string all;
  for (const EmbeddedFile& header : kernel_headers())
    all += fmt::format("{}\n{}\n", header.path, header.text);
  const fs::path place = fs::path(folder) / ("host-headers-" + content_key(all));
  std::error_code error;
  if (fs::is_directory(place, error)) return place.string();

  // Written aside, then moved there as a whole: whoever sees the folder sees it complete.
  const fs::path aside = fs::path(folder) / fmt::format("host-headers-{}.new", getpid());
  fs::remove_all(aside, error);
  for (const EmbeddedFile& header : kernel_headers()) {
    const fs::path path = aside / header.path;
    fs::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file << header.text;
    if (!file.flush()) return Error{fmt::format("cannot write {}", path.string())};
  }
  fs::rename(aside, place, error);
  fs::remove_all(aside, error);
  if (!fs::is_directory(place, error)) return Error{fmt::format("cannot write {}", place.string())};
  return place.string();
}

}  // namespace gktune
