#include "cli/context.h"

#include <algorithm>

#include "tuner/space/safe_settings.h"

namespace gktune {
namespace {

// "file:3:1: error: message", the line of the file, the caret under its fault, the advice.
void print_diagnostic(Context& context, const Diagnostic& diagnostic) {
  const std::string text = diagnostic.str();
  const std::string_view all = text;
  const std::size_t place = std::min(all.find(": ", diagnostic.file.size()) + 2, all.size());
  const std::size_t severity = std::min(all.find(": ", place), all.size() - 1) + 1;
  const Ink ink = diagnostic.severity == Diagnostic::Severity::error ? Ink::red : Ink::yellow;
  context.err << paint(context.err_screen, Ink::bold, all.substr(0, place))
              << paint(context.err_screen, ink, all.substr(place, severity - place)) << all.substr(severity)
              << '\n';
}

bool is_set(const char* variable) { return variable != nullptr && *variable != '\0'; }

bool is_absolute(const char* path) { return is_set(path) && *path == '/'; }

}  // namespace

ExitCode fail(Context& context, ExitCode code, std::string_view message, std::string_view advice) {
  context.log.error(message);
  if (!advice.empty()) hint(context, advice);
  return code;
}

ExitCode fail(Context& context, const Error& error) { return fail(context, ExitCode::failed, error.message); }

ExitCode fail(Context& context, const std::vector<Diagnostic>& diagnostics) {
  std::string messages;
  for (const Diagnostic& each : diagnostics) {
    print_diagnostic(context, each);
    messages += each.message + '\n';
  }
  hint_at_unsafe_options(context, messages);
  return ExitCode::usage;
}

void warn(Context& context, const std::vector<Diagnostic>& warnings) {
  for (const Diagnostic& each : warnings) print_diagnostic(context, each);
}

void hint(Context& context, std::string_view message) { context.log.hint(message); }

void hint_at_unsafe_options(Context& context, std::string_view message) {
  if (is_about_unsafe_option(message)) hint(context, "--allow-unsafe-options accepts the option");
}

ExitCode fail_usage(Context& context, std::string_view message) {
  return fail(context, ExitCode::usage, message, context.command + " --help");
}

std::filesystem::path default_database(const char* gktune_db) {
  return is_set(gktune_db) ? gktune_db : "gktune.db";
}

std::filesystem::path default_cache_dir(const char* xdg_cache_home, const char* home) {
  // The specification says to ignore a relative $XDG_CACHE_HOME.
  // Without a folder in the working directory: code is loaded from the cache, and
  // others may have put it there.
  if (is_absolute(xdg_cache_home)) return std::filesystem::path(xdg_cache_home) / "gktune";
  if (is_absolute(home)) return std::filesystem::path(home) / ".cache" / "gktune";
  return {};
}

}  // namespace gktune
