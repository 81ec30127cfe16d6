#pragma once

#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// Reads the key `problem`: a map of axes, or a list of such maps. The values of
// the axes of a map are combined.
class ProblemReader {
 public:
  // `folder` is the folder of the space file.
  ProblemReader(const std::string& folder, Names& names, ErrorList& errors)
      : folder_(folder), names_(names), errors_(errors) {}

  // Adds the names of the axes. Call it before reading expressions.
  void name_axes(const YamlNode& node);
  void read(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);
  // Reads the key `problem` under `host`: it replaces the values of some axes, or the list.
  void replace(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);

 private:
  void read_list(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);
  void read_axis(const YamlNode& key, const YamlNode& node, Axis& axis);
  // Adds the values of a listed problem to an axis.
  void join(const YamlNode& node, const Axis& more, Axis& axis);
  void check_count(const YamlNode& node, std::size_t count);

  const std::string& folder_;
  Names& names_;
  ErrorList& errors_;
};

}  // namespace gktune
