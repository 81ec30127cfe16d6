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
#include "tuner/space/reader/error_list.h"

namespace gktune {

// The names that an expression may use.
enum class View {
  problem,    // axes and device.*; for references
  candidate,  // also parameters
  trial,      // also measured quantities; for metrics
};

// The names of a space file. Reads expressions and texts that use them.
class Names {
 public:
  explicit Names(ErrorList& errors);

  // These functions add an error if the name is invalid or a duplicate.
  void add_axis(const YamlNode& key) { (void)add(key, Kind::axis); }
  void add_parameter(const YamlNode& key) { (void)add(key, Kind::parameter); }
  // Adds a definition of `let`. It cannot use the names of `later`: its own and
  // those of the definitions below.
  void add_definition(const YamlNode& key, const YamlNode& value, std::span<const YamlNode> later);

  // Adds the name of a round's number until remove_index(). Returns false if the name is invalid or taken.
  bool add_index(const YamlNode& key);
  void remove_index(const std::string& name) { known_.erase(name); }

  bool is_axis(std::string_view name) const { return is(name, Kind::axis); }
  bool is_parameter(std::string_view name) const { return is(name, Kind::parameter); }
  bool sees_parameters(const Expression& expression) const;

  std::optional<Expression> expression(const YamlNode& node, View view);
  // Reads the expression of an optional key.
  std::optional<Expression> expression(const Fields& fields, std::string_view key, View view);
  std::optional<Pattern> pattern(const YamlNode& node, View view);
  Pattern pattern(const Fields& fields, std::string_view key, View view);  // empty without that key
  // Reads a function or a template-id. In template arguments, names are replaced with
  // their values without braces.
  std::optional<Pattern> entry(const YamlNode& node, View view);

  // True if an expression that was read uses the name.
  bool is_named(const std::string& name) const { return named_.contains(name); }
  // The texts of the definitions that expressions used since the last call, directly
  // or through other definitions.
  std::map<std::string, std::string> take_used_definitions();

 private:
  enum class Kind { axis, parameter, definition, index, attribute, reading };
  struct Known {
    Kind kind = Kind::axis;
    bool sees_parameters = false;
    std::string text;                // a definition's
    std::vector<std::string> leads;  // definitions that it uses
  };

  bool is(std::string_view name, Kind kind) const;
  // False after an error.
  bool add(const YamlNode& key, Kind kind);
  std::optional<Expression> part(const YamlNode& node, std::string_view text, std::size_t offset, View view);
  bool check_name(const YamlNode& node, const std::string& name, std::size_t offset, View view);
  void mark_used(const std::string& name);
  // Brackets that are open.
  struct Nesting {
    int angles = 0, parentheses = 0;
  };
  // False after an error.
  bool add_template_arguments(const YamlNode& node, const PatternPiece& piece, Nesting& nesting,
                              Pattern& pattern, View view);
  std::vector<std::string> visible(View view) const;

  ErrorList& errors_;
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Expression> definitions_;  // inlined, without faulty ones
  std::uint64_t expression_nodes_ = 0;
  std::set<std::string> named_;
  std::set<std::string> used_;       // definitions, directly or through others
  std::span<const YamlNode> later_;  // names that the definition being read cannot use
};

// The reason why a parameter or an axis cannot have this name; nothing if it can.
std::optional<std::string> why_no_name(std::string_view name);

}  // namespace gktune
