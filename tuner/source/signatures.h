#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/source/tokens.h"

namespace gktune {

// A function that a source declares or defines.
struct FunctionSignature {
  enum class Kind {
    kernel,    // __global__
    function,  // not __global__, and every word before its name is known
    unknown,   // a macro before its name may contain __global__
  };
  struct Parameter {
    std::string type;  // "const real*"
    std::string name;  // empty if it has none
    // "const float *": aliases and simple macros of the source replaced, unless an #if decides them.
    std::string resolved_type;
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };
  std::string name;  // without namespaces
  Kind kind = Kind::unknown;
  std::vector<std::string> template_parameters;  // their names, in order
  // Without a value if a macro, an #if or a parameter pack hides the parameters.
  std::optional<std::vector<Parameter>> parameters;
  friend bool operator==(const FunctionSignature&, const FunctionSignature&) = default;
};

// All functions of the source, each signature once. Does not find functions that a macro declares. Aliases
// with the names of these macros are not resolved: the compiler gets a value for each.
std::vector<FunctionSignature> signatures_in(const FlatSource& source,
                                             const std::vector<std::string>& macros = {});

// The parts of a type.
struct CppType {
  std::string base;  // without const: "float", "unsigned long", "T"; empty if unknown
  int pointers = 0;
  bool points_to_const = false;
  friend bool operator==(const CppType&, const CppType&) = default;
};
CppType parse_type(std::string_view text);

}  // namespace gktune
