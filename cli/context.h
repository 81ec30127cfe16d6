#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/output/screen.h"
#include "gktune/result.h"
#include "tuner/space/diagnostic.h"

namespace gktune {

// Exit codes. Scripts rely on the numbers.
enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,  // wrong flags, or a space file with errors
  no_device = 3,
  no_configuration = 4,  // no valid configuration
  worse_match = 5,       // than --require accepts
  undecided = 5,         // a judge's time is over
  interrupted = 130,
};

// Settings from the system. Read once, in main().
struct Environment {
  std::filesystem::path program;    // this binary, for the worker processes
  std::filesystem::path database;   // default of --db
  std::filesystem::path cache_dir;  // default of --cache; empty: none
  std::string cxx;                  // C++ compiler command
  std::string cuda_home;            // the CUDA toolkit's folder
  std::string gpu_settings;         // the variables that decide which GPUs and which CUDA a program sees
  std::string host_name;
  std::string command_line;  // for the session's record
};

// $GKTUNE_DB, or ./gktune.db.
std::filesystem::path default_database(const char* gktune_db);
// $XDG_CACHE_HOME/gktune, or ~/.cache/gktune; empty without an absolute path of either.
std::filesystem::path default_cache_dir(const char* xdg_cache_home, const char* home);

// Everything outside the program that a command may touch.
struct Context {
  const Environment& environment;
  std::ostream& out;    // results
  std::ostream& err;    // progress, logs, errors
  std::ostream& bytes;  // standard output, unescaped: for files that a command writes there
  Screen out_screen, err_screen;
  Log& log;  // writes to err
  // After this call Ctrl-C no longer ends the program. The function it returns
  // is true once Ctrl-C was pressed.
  std::function<std::function<bool()>()> catch_interrupts;
  std::string command = {};  // the one that runs: "gktune db ls"
};

// Ends a command. It is thrown after the error was printed.
struct Ended {
  ExitCode code;
};

// Prints the error, and advice if there is any, and returns the code.
ExitCode fail(Context& context, ExitCode code, std::string_view message, std::string_view advice = {});
ExitCode fail(Context& context, const Error& error);
// Prints every error of a file, and returns the code for a wrong file.
ExitCode fail(Context& context, const std::vector<Diagnostic>& diagnostics);
void warn(Context& context, const std::vector<Diagnostic>& warnings);
// Prints advice after an error or a result.
void hint(Context& context, std::string_view message);
// Names the flag that accepts an unsafe option if the message is about one.
void hint_at_unsafe_options(Context& context, std::string_view message);
// The value of a result. An error is printed and ends the command.
template <class T, class E>
T value_or_end(Result<T, E> result, Context& context) {
  if (!result) throw Ended{fail(context, result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
// Prints an error in the arguments of the command and names its help.
ExitCode fail_usage(Context& context, std::string_view message);
// Returns what a flag asks for. Prints an error behind the name of the flag and ends the command.
template <class T>
T asked_or_end(const std::string& flag, Result<T> result, Context& context) {
  if (!result) throw Ended{fail_usage(context, flag + ": " + result.error().message)};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace gktune
