#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json.h"
#include "db/portfolio.h"
#include "engine/study_facts.h"

namespace gktune {

struct HtmlReportSettings {
  std::int64_t written_unix_ms = 0;
  int live_s = 0;                      // the page reads its file again after so many seconds; 0: never
  std::size_t most_bytes = 1'900'000;  // studies and trials are left out beyond this, and the page says so
};

// One page that needs no other file and no network: tables for every study, and charts of them where scripts
// run. The studies and the portfolios come in the order of the page.
std::string html_report(const std::vector<StudyFacts>& studies, const HtmlReportSettings& settings,
                        const std::vector<Portfolio>& portfolios = {});

// The parts that sections of the HTML page are made of.

// A name or message of any length as one that fits the page.
std::string shortened(const std::string& text, std::size_t columns);
std::string name_of(const std::string& text);

// The number with the five digits that a picture can show; null if it is not finite.
Json rounded(double value);

// A part that the reader unfolds.
std::string details(std::string_view summary, const std::string& body);

// A figure whose chart the page's script draws, with a table that says the same.
std::string figure(std::string_view chart, std::string_view caption, std::string_view note,
                   const std::string& table, std::string_view chart_class, bool is_wide);

// The section of the page about portfolios; empty if there is none.
std::string portfolio_section(const std::vector<Portfolio>& portfolios);

// The data that the page's script draws of them.
Json portfolios_for_script(const std::vector<Portfolio>& portfolios);

}  // namespace gktune
