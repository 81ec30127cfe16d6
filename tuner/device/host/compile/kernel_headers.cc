#include "tuner/device/host/compile/kernel_headers.h"

#include <fmt/format.h>

#include <filesystem>

#include "tuner/core/whole_file.h"
#include "tuner/space/content_key.h"

namespace gktune {
namespace fs = std::filesystem;

// Several processes may do so at once: each sees complete files, and all write the same.
Result<std::string> place_kernel_headers(const std::string& folder, const std::string& scratch) {
  static const std::string name = [] {
    std::string all;
    for (const EmbeddedFile& header : kernel_headers())
      all += fmt::format("{}\n{}\n", header.path, header.text);
    return "host-headers-" + content_key(all);
  }();
  const fs::path place = fs::path(folder) / name;
  for (const EmbeddedFile& header : kernel_headers()) {
    const fs::path path = place / header.path;
    if (const auto present = read_whole(path); present && *present == header.text) continue;
    if (auto written = write_atomically(path, header.text, scratch); !written) return written.error();
  }
  return place.string();
}

}  // namespace gktune
