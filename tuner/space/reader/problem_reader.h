#pragma once

#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// Reads `problem`: a map of axes, whose values are combined, or a list of such maps.
class ProblemReader {
 public:
  // `folder` is that of the space file.
  ProblemReader(const std::string& folder, Names& names, ErrorList& errors)
      : folder_(folder), names_(names), errors_(errors) {}

  // Adds the names of the axes. Call it before any expression is read.
  void name_axes(const YamlNode& node);
  void read(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);
  // Reads `problem` of `host`: other values of some axes, or another list.
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
