#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/values.h"

namespace gktune {

// The contents of a first space file, which an import fills in. The file leaves out
// keys whose members are empty.
struct SpaceDraft {
  struct Axis {
    std::string name;
    std::vector<std::string> values;  // as space files write them: 64Mi
    bool is_macro = false;            // the kernel reads the axis as a macro of the same name
  };
  struct Range {
    std::int64_t first, last, step;
  };
  struct Parameter {
    std::string name;
    std::vector<Value> values;
    std::optional<Value> default_value;
    std::string comment;
    std::optional<Range> range;  // instead of values
  };
  struct Constraint {
    std::string condition, comment;
  };
  // A scalar has a value; a buffer has an extent.
  struct Argument {
    std::string name, type, value, extent, symbol, role;
    std::string init;  // YAML in flow style: {uniform: [0, 1]}
    std::string comment;
  };

  std::string origin;  // the file that the import read
  std::string kernel, source;
  std::vector<Axis> axes;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<std::string> options;
  std::vector<Argument> arguments;
  std::string entry;
  std::vector<std::string> grid, block;
  std::string grid_comment, block_comment;
  std::string shared;
  bool is_cooperative = false;
  std::vector<std::string> passed;  // the launch's arguments: names, or YAML in flow style: {struct: [n]}
};

// No import finds a reference.
inline constexpr const char* kNoReference = "there is no reference: add one, so that outputs are checked";

// The text of the space file.
std::string space_file_text(const SpaceDraft& draft);

// A text as a YAML scalar in a list or map in flow style, in quotes where it needs them.
std::string yaml_flow_text(std::string_view text);

}  // namespace gktune
