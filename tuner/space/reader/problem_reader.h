#pragma once

#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/complaints.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// Reads what a file says under `problem`: a map of axes, whose values are combined, or a list of such maps.
class ProblemReader {
 public:
  ProblemReader(Names& names, Complaints& complaints) : names_(names), complaints_(complaints) {}

  // The axes' names, which expressions may use: before anything is read that has some.
  void name_axes(const YamlNode& node);
  void read(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);
  // What `host` says instead: other values of some axes, or a list of its own.
  void replace(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);

 private:
  void read_list(const YamlNode& node, std::vector<Axis>& axes, std::vector<Problem>& listed);
  void read_axis(const YamlNode& key, const YamlNode& node, Axis& axis);
  // Takes the values of a listed problem's axis in.
  void join(const YamlNode& node, const Axis& more, Axis& axis);
  void check_count(const YamlNode& node, std::size_t count);

  Names& names_;
  Complaints& complaints_;
};

}  // namespace gktune
