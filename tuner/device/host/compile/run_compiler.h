#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/process/child_process.h"
#include "tuner/space/plan.h"

namespace gktune {

// A compiler's command without the names of its input and output.
struct CompilerCommand {
  std::vector<std::string> words;
  std::string input_suffix, output_suffix;  // ".cc", ".so"
  std::vector<std::string> libraries = {};  // behind the names
};

// The result of compiling one text.
struct CompilerRun {
  Status status = Status::ok;  // ok, compile_failed, machine_failed
  std::string log;
  std::string output;  // the path of a file with it
};

// Compiles a text by way of files in the cache's folder for them, and keeps the output in the cache.
CompilerRun compile_to_cache(const CompilerCommand& command, const std::string& text, CompileCache& cache);

// The message if a compiler's first error is that the source has no function of an entry's name: its other
// errors are in files that the user has never seen. Nothing if the first error is another one.
std::optional<std::string> missing_entry(const SourcePlan& source, std::string_view log);

}  // namespace gktune
