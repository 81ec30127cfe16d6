#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// A larger range is an error, because it is probably a mistake.
constexpr std::size_t kMostValues = 16'384;

// The values of a parameter or of a problem's axis.
struct Choices {
  std::vector<Value> values;  // of one kind, without duplicates; empty after an error
  std::optional<Value> default_value;
  std::optional<std::string> macro;
  std::optional<std::string> match;  // nearest, exact or categorical
};

enum class ChoicesOf { parameter, axis };

// Reads a value, a list, {values: …}, {range: [first, last, step]} or {pow2: [first, last]}. A parameter may
// have a default; an axis may have a macro and a way to match.
Choices read_choices(const YamlNode& node, ChoicesOf owner, ErrorList& errors);

// Reads the key `problem`: a map of axes, or a list of such maps. The values of
// the axes of a map are combined.
class ProblemReader {
 public:
  ProblemReader(Names& names, ErrorList& errors) : names_(names), errors_(errors) {}

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

  Names& names_;
  ErrorList& errors_;
};

}  // namespace gktune
