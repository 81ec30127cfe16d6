#include "cli/report_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/output/html_report.h"
#include "cli/output/quantity.h"
#include "db/database.h"
#include "engine/study_facts.h"
#include "tuner/core/output_file.h"
#include "tuner/core/seconds_since.h"
#include "tuner/core/spelling.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// The studies of the kernels, the last tuned first.
Result<std::vector<StudySummary>> studies_of(const Database& store, const std::vector<std::string>& kernels) {
  auto studies = store.studies();
  if (!studies) return studies;
  std::vector<std::string> known;
  for (const StudySummary& each : *studies) known.push_back(each.study.kernel);
  for (const std::string& kernel : kernels) {
    if (std::ranges::find(known, kernel) == known.end()) {
      return Error{"there is no study of a kernel '" + kernel + "'" + did_you_mean(kernel, known)};
    }
  }
  if (!kernels.empty()) {
    std::erase_if(*studies, [&](const StudySummary& each) {
      return std::ranges::find(kernels, each.study.kernel) == kernels.end();
    });
  }
  std::ranges::stable_sort(*studies, std::ranges::greater(), &StudySummary::updated_unix_ms);
  return studies;
}

// The stored portfolios of the kernels of these studies.
Result<std::vector<Portfolio>> portfolios_of(const Database& store,
                                             const std::vector<StudySummary>& studies) {
  auto portfolios = store.portfolios();
  if (!portfolios) return portfolios;
  std::erase_if(*portfolios, [&](const Portfolio& portfolio) {
    return std::ranges::none_of(
        studies, [&](const StudySummary& each) { return each.study.kernel == portfolio.kernel; });
  });
  return portfolios;
}

}  // namespace

Result<void> check_report_path(const fs::path& path) {
  if (auto checked = check_output(path); !checked) return checked;
  const fs::path target = target_of(path);
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    return Error{path.string() + " is no regular file"};
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return Error{"there is no folder " + folder.string()};
  if (access(folder.c_str(), W_OK) != 0) return Error{"cannot write to the folder " + folder.string()};
  return {};
}

std::string WrittenReport::text() const {
  return fmt::format("{}: {}, {}, {}", path.string(),
                     format_things(static_cast<std::int64_t>(studies), "study"),
                     format_things(trials, "trial"), format_bytes(static_cast<std::int64_t>(bytes)));
}

Result<WrittenReport> write_report(const Database& store, const std::vector<std::string>& kernels,
                                   const fs::path& path, const ReportFileSettings& settings) {
  if (auto checked = check_report_path(path); !checked) return checked.error();
  auto summaries = studies_of(store, kernels);
  if (!summaries) return summaries.error();
  auto winners = store.winners("");
  if (!winners) return winners.error();
  WrittenReport written{path, summaries->size(), 0, 0};
  std::vector<StudyFacts> studies;
  for (const StudySummary& summary : *summaries) {
    auto facts = facts_of(store, summary, *winners);
    if (!facts) return facts.error();
    written.trials += summary.trials;
    if (facts->winner) facts->changes = facts->winner->changes;
    studies.push_back(*std::move(facts));
  }
  auto portfolios = portfolios_of(store, *summaries);
  if (!portfolios) return portfolios.error();
  const std::string page =
      html_report(studies, {.written_unix_ms = now_unix_ms(), .live_s = settings.live_s}, *portfolios);
  written.bytes = page.size();
  if (auto result = write_output(path, page); !result) return result.error();
  return written;
}

}  // namespace gktune
