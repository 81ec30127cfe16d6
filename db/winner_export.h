#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "db/portfolio.h"
#include "gktune/result.h"

namespace gktune {

// Texts with the winners of a tuning for applications. Equal contents give equal texts.

// The winner that the lookup answers with, of those that a kernel has on one device for one problem: cold
// before hot, then time before other objectives, then the later study. The formats that name no regime and no
// objective hold one for each problem.
std::vector<Winner> one_for_each_problem(std::vector<Winner> winners);

// A C++17 header that needs no library: the configurations of one kernel on one device, a constexpr function
// that chooses among them by the tree, and one that finds a tuned problem. The enumerations hold these
// texts too, so that code goes on compiling when other configurations win. An error if the winners are
// not of one kernel, version and device, or have different axes.
Result<std::string> header_text(const std::vector<Winner>& winners, const Portfolio& portfolio,
                                const TextValues& texts);

// -DthreadsPerBlock=256 -Dway=one_pass, quoted for a shell.
std::string definition_flags(const Config& config);

}  // namespace gktune
