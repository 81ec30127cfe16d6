#include "cli/database.h"

#include <set>
#include <system_error>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

std::string status_names() {
  std::string names;
  for (int i = 0; i <= static_cast<int>(kLastStatus); ++i) {
    if (ends_problem(static_cast<Status>(i))) continue;  // never stored
    names += (names.empty() ? "" : "|") + std::string(status_name(static_cast<Status>(i)));
  }
  return names;
}

Result<Status> parse_status(std::string_view text) {
  if (const auto status = status_from_name(text)) return *status;
  const EnumNames names = enum_names(Status{});
  return Error{"unknown status '" + std::string(text) + "'" +
               did_you_mean(text, std::vector<std::string>(names.begin(), names.end()))};
}

}  // namespace

std::filesystem::path database_path(const std::string& flag, const Context& context) {
  return flag.empty() ? context.environment.database : std::filesystem::path(flag);
}

std::string database_flag(const std::string& flag) { return flag.empty() ? "" : " --db " + shell_word(flag); }

void require_database(const std::string& flag, Context& context) {
  const auto path = database_path(flag, context);
  if (is_server(path)) return;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return;
  if (error) throw Ended{fail(context, Error{path.string() + ": cannot be read: " + error.message()})};
  throw Ended{fail(context, ExitCode::failed, "no database " + path.string(),
                   "gktune run SPACE creates one; --db or $GKTUNE_DB names another")};
}

std::unique_ptr<Database> open_database(const std::string& flag, Context& context) {
  require_database(flag, context);
  return value_or_end(Database::open(database_path(flag, context), Database::Access::read), context);
}

ExitCode fail_selection(const std::string& database, const std::string& message, Context& context) {
  return fail(context, ExitCode::failed, message, "gktune db ls" + database_flag(database) + " lists them");
}

void declare_database_flags(Flags& flags, DatabaseFlags& options) {
  flags.database(options.database);
  flags.table_format(options.format);
}

void declare_study_flags(Flags& flags, StudyFlags& selection) {
  StudyFilter& filter = selection.filter;
  flags.database(selection.database);
  flags.text("--kernel", filter.kernel, "Studies of this kernel", "KERNEL");
  flags.text("--device", filter.device, "Studies on this device: its name or a part of the name", "DEVICE");
  flags.text("--problem", filter.problem, "Studies of these problems: n=1Gi,T=float", "AXIS=VALUE,…");
  flags.parsed("--status", filter.status, parse_status, "Studies that have trials with this status",
               status_names());
  flags.parsed("--newer", filter.newer_s, parse_seconds, "Studies with a trial within this time: 7d, 12h",
               "AGE");
  flags.parsed("--older", filter.older_s, parse_seconds, "Studies without a trial within this time", "AGE");
}

std::vector<StudySummary> selected_studies(const StudyFlags& flags, const std::vector<std::string>& words,
                                           Context& context) {
  auto store = open_database(flags.database, context);
  if (words.empty() && flags.filter.is_empty()) return value_or_end(store->studies(), context);
  auto studies = value_or_end(store->studies(Counts::ignored), context);
  if (!words.empty()) {
    std::set<std::int64_t> named;
    for (const std::string& word : words) {
      const auto found = named_studies(studies, word);
      if (!found) throw Ended{fail_selection(flags.database, found.error().message, context)};
      for (const StudySummary& each : *found) named.insert(each.id);
    }
    std::erase_if(studies, [&](const StudySummary& each) { return !named.contains(each.id); });
  }
  if (flags.filter.status) {
    const auto with_status = value_or_end(store->studies_with(*flags.filter.status), context);
    std::erase_if(studies, [&](const StudySummary& each) { return !with_status.contains(each.id); });
  }
  auto selected = select_studies(std::move(studies), flags.filter, now_unix_ms());
  if (!selected) throw Ended{fail_selection(flags.database, selected.error().message, context)};
  return value_or_end(store->counted(*selected), context);
}

}  // namespace gktune
