#include "cli/database.h"

#include <algorithm>
#include <chrono>
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

bool has_database(const std::string& flag, Context& context) {
  const auto path = database_path(flag, context);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return true;
  if (error) {
    fail(context, ExitCode::failed, path.string() + ": cannot be read: " + error.message());
    return false;
  }
  fail(context, ExitCode::failed, "no database " + path.string());
  hint(context, "gktune run SPACE creates one; --db or $GKTUNE_DB names another");
  return false;
}

std::unique_ptr<Database> open_database(const std::string& flag, Context& context) {
  if (!has_database(flag, context)) return nullptr;
  auto store = Database::open(database_path(flag, context), Database::Access::read);
  if (!store) {
    fail(context, store.error());
    return nullptr;
  }
  return *std::move(store);
}

ExitCode fail_selection(const std::string& database, const std::string& message, Context& context) {
  return fail(context, ExitCode::failed, message, "gktune db ls" + database_flag(database) + " lists them");
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

Result<std::vector<StudySummary>, ExitCode> selected_studies(const StudyFlags& flags, Context& context) {
  return selected_studies(flags, {}, context);
}

Result<std::vector<StudySummary>, ExitCode> selected_studies(const StudyFlags& flags,
                                                             const std::vector<std::string>& words,
                                                             Context& context) {
  auto store = open_database(flags.database, context);
  if (!store) return ExitCode::failed;
  auto studies = store->studies();
  if (!studies) return fail(context, studies.error());
  if (!words.empty()) {
    std::set<std::int64_t> named;
    for (const std::string& word : words) {
      const auto found = named_studies(*studies, word);
      if (!found) return fail_selection(flags.database, found.error().message, context);
      for (const StudySummary& each : *found) named.insert(each.id);
    }
    std::erase_if(*studies, [&](const StudySummary& each) { return !named.contains(each.id); });
  }
  if (flags.filter.is_empty()) return *std::move(studies);
  if (flags.filter.status) {
    const auto with_status = store->studies_with(*flags.filter.status);
    if (!with_status) return fail(context, with_status.error());
    std::erase_if(*studies, [&](const StudySummary& each) { return !with_status->contains(each.id); });
  }
  auto selected = select_studies(*std::move(studies), flags.filter, now_unix_ms());
  if (!selected) return fail_selection(flags.database, selected.error().message, context);
  return *std::move(selected);
}

}  // namespace gktune
