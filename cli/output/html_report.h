#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/study_facts.h"

namespace gktune {

struct HtmlReportSettings {
  std::int64_t written_unix_ms = 0;
  std::size_t most_bytes = 1'900'000;  // studies and trials are left out beyond this, and the page says so
};

// One page that needs no other file and no network: tables for every study, and charts of them where scripts
// run. The studies come in the order of the page.
std::string html_report(const std::vector<StudyFacts>& studies, const HtmlReportSettings& settings);

}  // namespace gktune
