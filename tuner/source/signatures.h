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
    function,  // all its words are known, and __global__ is not among them
    unknown,   // a macro may make it a kernel or a function
  };
  struct Parameter {
    std::string type;  // "const float*"
    std::string name;  // empty: none is given
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };
  std::string name;  // without namespaces
  Kind kind = Kind::unknown;
  std::vector<std::string> template_parameters;  // their names, in order
  // Empty if the text does not show the parameters: a macro or an #if in the list, a pack.
  std::optional<std::vector<Parameter>> parameters;
  friend bool operator==(const FunctionSignature&, const FunctionSignature&) = default;
};

// Each signature once. Does not find functions that a macro declares.
std::vector<FunctionSignature> signatures_in(const FlatSource& source);

// A type in its parts.
struct CppType {
  std::string base;  // "float", "unsigned long", "T": without const; empty if the text does not show it
  int pointers = 0;
  bool points_to_const = false;
  friend bool operator==(const CppType&, const CppType&) = default;
};
CppType parse_type(std::string_view text);

}  // namespace gktune
