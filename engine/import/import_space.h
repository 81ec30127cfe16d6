#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"

namespace gktune {

// A space file that an import made.
struct ImportedSpace {
  std::string text;                // YAML
  std::vector<std::string> notes;  // the parts that the user has to add or check
};

struct SpaceImport {
  std::string kernel;            // which kernel of a CUDA source; empty: the first that the source launches
  std::filesystem::path folder;  // where the space file will lie
};

// Reads a CUDA source, with the source that includes it and launches its kernels if it launches none.
Result<ImportedSpace> import_space(const std::filesystem::path& path, const SpaceImport& options = {});
// Imports the text of a file. The path gives names and appears in messages.
Result<ImportedSpace> import_space_text(const std::string& text, const std::filesystem::path& path,
                                        const SpaceImport& options = {});

// The kernels that a CUDA source launches, in their order; all of its kernels if it launches none.
Result<std::vector<std::string>> kernels_to_import(const std::filesystem::path& path);

// Makes a first space file of a CUDA source, for the one of `kernels` that the source launches first; of all
// its kernels if the list is empty. Macros and constants that look like parameters become parameters; sizes
// and launches come from the launching code. Comments mark guesses. `source` is the path that the space file
// names.
Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source,
                                         const std::vector<std::string>& kernels = {});

// The contents of a first space file, which an import fills in. The file leaves out
// keys whose members are empty.
struct SpaceDraft {
  struct Axis {
    std::string name;
    std::vector<std::string> values;  // as space files write them: 64Mi
    bool is_macro = false;            // the kernel reads the axis as a macro of the same name
  };
  struct Parameter {
    std::string name;
    std::vector<Value> values;
    std::optional<Value> default_value;
    std::string comment;
  };
  struct Constraint {
    std::string condition, comment;
  };
  // A scalar has a value; a buffer has an extent.
  struct Argument {
    std::string name, type, value, extent, symbol, role;
    std::string init;  // YAML in flow style: {uniform: [0, 1]}
    std::string comment;
    bool is_extent_guess = false;
    std::string check;  // of an output, in flow style: {relative: 1e-4}
  };

  std::string origin;   // the file that the import read
  std::string finding;  // what `gktune check` will say of the file; empty: nothing
  std::string kernel, source;
  std::vector<std::string> include;  // folders
  std::vector<Axis> axes;
  std::vector<Axis> host_axes, check_axes;  // the sizes under `host` and `check`
  std::vector<std::string> guesses;         // of `check`
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Argument> arguments;
  std::string entry;
  std::vector<std::string> grid, block;
  std::string grid_comment, block_comment;
  std::string shared, shared_comment;
  bool is_cooperative = false;
  bool compares_with_default = false;  // reference: default
  std::vector<std::string> passed;     // the launch's arguments: names, or YAML in flow style: {struct: [n]}
};

// No import finds a reference.
inline constexpr const char* kNoReference = "there is no reference: add one, so that outputs are checked";

// The text of the space file.
std::string space_file_text(const SpaceDraft& draft);

// A text as a YAML scalar in a list or map in flow style, in quotes where it needs them.
std::string yaml_flow_text(std::string_view text);

}  // namespace gktune
