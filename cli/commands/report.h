#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "gktune/result.h"

namespace gktune {

// An error if no file can be written there: a folder, a device, or a folder that is missing or not writable.
Result<void> check_report_path(const std::filesystem::path& path);

struct WrittenReport {
  std::filesystem::path path;
  std::size_t studies = 0, bytes = 0;
  std::int64_t trials = 0;
  std::string text() const;  // "report.html: 3 studies, 1,200 trials, 1.1 MiB"
};

// Writes the HTML report of all studies of these kernels, or of all kernels if none is named; the studies
// that were tuned last come first. A reader of the file sees the old page or the new one, never a part.
Result<WrittenReport> write_report(const Database& store, const std::vector<std::string>& kernels,
                                   const std::filesystem::path& path);

}  // namespace gktune
