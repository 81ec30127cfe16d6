#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/source/flat_source.h"
#include "tuner/space/definition.h"
#include "tuner/space/diagnostic.h"

namespace gktune {

struct ReadOptions {
  // If it is "host", the keys under `host` replace the file's other keys.
  std::string device_kind;
  std::vector<std::string> strategies;  // the names that `search: {strategy: …}` may have; empty: any
  UnsafeOptions unsafe_options = UnsafeOptions::refused;
};

// Reads a space file, the sources that it names, and their includes. The result has paths that open from the
// working directory. Reports all errors of the file at once.
Result<Definition, std::vector<Diagnostic>> read_space_file(const std::string& path,
                                                            const ReadOptions& options = {});

// Reads a candidate for a space that was read for the same device: a source that begins with a comment in the
// language of space files, from the line after `/* gktune` on. It says how to launch the candidate, and may
// have parameters, constraints, options, a setup and scratch arguments. The space gives everything else.
Result<Definition, std::vector<Diagnostic>> read_candidate_file(const std::string& path,
                                                                const Definition& space,
                                                                const ReadOptions& options = {});

// Reads the text of a space file. `files` reads all other files.
Result<Definition, std::vector<Diagnostic>> read_space_text(std::string_view text, const std::string& path,
                                                            const ReadOptions& options,
                                                            const FileReader& files);

}  // namespace gktune
