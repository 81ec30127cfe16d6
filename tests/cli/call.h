#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output/screen.h"
#include "tests/expectations.h"

namespace gktune {

// The result and output of one call of the program in this process.
struct Call {
  ExitCode code;
  std::string out, err;
};

inline Call call(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  std::ostringstream out, err;
  const Screen screen;
  PrintableStream printable_out(out), printable_err(err);
  Log log(printable_err, screen);
  Context context{environment, printable_out, printable_err, out,
                  screen,      screen,        log,           [] { return [] { return false; }; }};
  ExitCode code = run_program(arguments, context);
  return {code, out.str(), err.str()};
}

// The output of a call that went well, else how it ended.
inline std::string printed_by(const Call& call) {
  return call.code == ExitCode::done ? call.out
                                     : std::to_string(static_cast<int>(call.code)) + ": " + call.err;
}

// Conditions for EXPECT_TRUE: the call ended with this code and this message, or a part of one.
inline ::testing::AssertionResult ended(const Call& call, ExitCode code, std::string_view err) {
  if (call.code == code && call.err == err) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << static_cast<int>(call.code) << ": " << call.err;
}
inline ::testing::AssertionResult ended_with(const Call& call, ExitCode code, std::string_view part) {
  if (call.code == code) return contains(call.err, part);
  return ::testing::AssertionFailure() << static_cast<int>(call.code) << ": " << call.err;
}

}  // namespace gktune
