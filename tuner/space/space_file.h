#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/source/file_reader.h"
#include "tuner/space/definition.h"
#include "tuner/space/diagnostic.h"

namespace gktune {

struct ReadOptions {
  std::string device_kind;              // host: what the file says under `host` replaces its other words
  std::vector<std::string> strategies;  // the names that `search: {strategy: …}` may have; empty: any
  UnsafeOptions unsafe_options = UnsafeOptions::refused;
};

// Reads a space file, the sources that it names, and what these include. Paths stay as they are written:
// relative ones are found from the working directory. Reports all errors of the file at once.
Result<Definition, std::vector<Diagnostic>> read_space_file(const std::string& path,
                                                            const ReadOptions& options = {});

// The same of a text that is at hand; `files` reaches all others.
Result<Definition, std::vector<Diagnostic>> read_space_text(std::string_view text, const std::string& path,
                                                            const ReadOptions& options,
                                                            const FileReader& files);

}  // namespace gktune
