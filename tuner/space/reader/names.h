#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/space/language/expression.h"
#include "tuner/space/language/pattern.h"
#include "tuner/space/reader/complaints.h"

namespace gktune {

// What an expression may speak of.
enum class View {
  problem,    // axes, device.*: the reference
  candidate,  // the parameters too
  trial,      // and what was measured: metrics
};

// The names of a space file, and the reading of what is made of them.
class Names {
 public:
  explicit Names(Complaints& complaints);

  // Each complains about a name that cannot be one.
  void add_axis(const YamlNode& key) { add(key, Kind::axis); }
  void add_parameter(const YamlNode& key) { add(key, Kind::parameter); }
  // A line of `let`; `later` are its own name and those below.
  void add_definition(const YamlNode& key, const YamlNode& value, std::span<const YamlNode> later);

  bool is_axis(std::string_view name) const;
  bool is_parameter(std::string_view name) const;
  bool sees_parameters(const Expression& expression) const;

  std::optional<Expression> expression(const YamlNode& node, View view);
  std::optional<Pattern> pattern(const YamlNode& node, View view);
  // A function or a template-id: in its template arguments names stand for their values, with no braces.
  std::optional<Pattern> entry(const YamlNode& node, View view);

  // The lines of `let` that have been used since the last call, with those that they lead to; as written.
  std::map<std::string, std::string> take_used_definitions();

 private:
  enum class Kind { axis, parameter, definition, attribute, reading };
  struct Known {
    Kind kind = Kind::axis;
    bool sees_parameters = false;
    std::string text;                // of a definition
    std::vector<std::string> leads;  // definitions that it is made of
  };

  void add(const YamlNode& key, Kind kind);
  std::optional<Expression> part(const YamlNode& node, std::string_view text, std::size_t offset, View view);
  bool check_name(const YamlNode& node, const std::string& name, std::size_t offset, View view);
  void mark_used(const std::string& name);
  // False where a name has been complained about.
  bool add_template_arguments(const YamlNode& node, const PatternPiece& piece, int& angles, Pattern& pattern,
                              View view);
  std::vector<std::string> visible(View view) const;

  Complaints& complaints_;
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Expression> definitions_;  // inlined: none refers to another; without the faulty ones
  std::uint64_t expression_nodes_ = 0;
  std::set<std::string> used_;       // definitions, with all that they lead to
  std::span<const YamlNode> later_;  // while a definition is read: what it cannot use yet
};

// Why a name cannot be a parameter's or an axis': a word of C++, of CUDA or of the expressions.
std::optional<std::string> why_no_name(std::string_view name);

}  // namespace gktune
