#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/process/child_process.h"
#include "tuner/process/outside_kills.h"
#include "tuner/space/plan.h"

namespace gktune {

// The result of compiling one text to a shared object.
struct CompilerRun {
  Status status = Status::ok;  // ok, compile_failed, machine_failed
  std::string log;
  std::string code_path;  // in the cache
};

// Runs a compiler, again where something outside kills it.
Result<CommandOutput> call_compiler(const std::vector<std::string>& words);

struct CompilerOutput {
  std::string compiler, path;
};
// Moves the shared object of a compiler that has ended to the cache.
CompilerRun keep_output(const Result<CommandOutput>& result, const CompilerOutput& output,
                        CompileCache& cache, OutsideKills& outside_kills);

// The message if a compiler's first error is that the source has no function of an entry's name: its other
// errors are in files that the user has never seen. Nothing if the first error is another one.
std::optional<std::string> missing_entry(const SourcePlan& source, std::string_view log);

}  // namespace gktune
