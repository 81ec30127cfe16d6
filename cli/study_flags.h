#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/flags.h"
#include "engine/selection.h"

namespace gktune {

// The flags that select studies of a database.
struct StudyFlags {
  std::string database;
  StudyFilter filter;
};

// --db, --kernel, --device, --problem, --status, --newer, --older
void declare_study_flags(Flags& flags, StudyFlags& selection);

// Prints an error if the database cannot be read or has nothing that the flags name.
Result<std::vector<StudySummary>, ExitCode> selected_studies(const StudyFlags& flags, Context& context);
// The studies that the words name and the flags select; without words all that the flags select.
Result<std::vector<StudySummary>, ExitCode> selected_studies(const StudyFlags& flags,
                                                             const std::vector<std::string>& words,
                                                             Context& context);
// Prints an error about studies, and that `gktune db ls` lists them.
ExitCode fail_selection(const std::string& database, const std::string& message, Context& context);

}  // namespace gktune
