#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/output/table.h"
#include "engine/tuning_session.h"

namespace gktune {

// The report of `gktune run` for one problem.

void print_report(std::ostream& stream, const Screen& screen, const Tuning& tuning);
// How long it took to make the inputs and to run the reference: part of the device's time.
std::string preparation_text(const Tuning& tuning);
Json report_json(const Tuning& tuning);
Json progress_json(const TuneProgress& progress);
// The result in one row.
Record report_record(const Tuning& tuning);

// Advice about what to do next; each names a flag or a command.
std::vector<std::string> hints_for(const Tuning& tuning, const std::string& database_flag);
// The command that looks up the result: gktune best reduce --problem n=1Mi
std::string question_for(const Tuning& tuning, const std::string& database_flag);
// For a run without a valid configuration: failures by status and the message of the most frequent one.
std::string failure_report(const Tuning& tuning);

}  // namespace gktune
