#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/json.h"
#include "cli/screen.h"
#include "engine/tuning.h"

namespace gktune {

// What `gktune run` says when a problem's tuning has ended.

void print_report(std::ostream& stream, const Screen& screen, const Tuning& tuning);
Json report_json(const Tuning& tuning);

// What to do next: each a sentence that names a flag or a command.
std::vector<std::string> hints_for(const Tuning& tuning, const std::string& database_flag);
// The question that brings the answer back: gktune best reduce --problem n=1Mi
std::string question_for(const Tuning& tuning, const std::string& database_flag);
// Why nothing was found, where no configuration went well: failures by kind, and what the commonest said.
std::string failure_report(const Tuning& tuning);

}  // namespace gktune
