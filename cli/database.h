#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "db/database.h"
#include "engine/selection.h"

namespace gktune {

// The database of --db, or the default one.
std::filesystem::path database_path(const std::string& flag, const Context& context);
// For a suggested command line: " --db other.db"; empty for the default database.
std::string database_flag(const std::string& flag);
// Ends the command with an error and a hint if there is none.
void require_database(const std::string& flag, Context& context);
// Opens it for reading.
std::unique_ptr<Database> open_database(const std::string& flag, Context& context);

// The flags of commands that report on a whole database.
struct DatabaseFlags {
  std::string database;
  TableFormat format;
};
void declare_database_flags(Flags& flags, DatabaseFlags& options);

// The flags that select studies of a database.
struct StudyFlags {
  std::string database;
  StudyFilter filter;
};

// --db, --kernel, --device, --problem, --status, --newer, --older
void declare_study_flags(Flags& flags, StudyFlags& selection);

// The studies that the words name and the flags select; without words all that the flags select. Ends the
// command with an error if the database cannot be read or has nothing that they name.
std::vector<StudySummary> selected_studies(const StudyFlags& flags, const std::vector<std::string>& words,
                                           Context& context);
// Prints an error about studies, and that `gktune db ls` lists them.
ExitCode fail_selection(const std::string& database, const std::string& message, Context& context);

}  // namespace gktune
