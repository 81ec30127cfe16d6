#pragma once

#include <string>

#include "tuner/space/plan.h"

namespace gktune {

// Writes the arguments of a plan as C++ for a repro.

// The declaration of an argument in the struct of all arguments: "Buffer<float> in{"in",
// 1024};", "long long n = 1024;".
std::string argument_member(const ArgumentPlan& argument);
// The value of a scalar, cast to its type: "static_cast<int>(7)".
std::string scalar_value(const ArgumentPlan& argument);
// The type of a scalar that is a member of a struct: "float", "gktune::Half".
std::string member_type(const ArgumentPlan& argument);
// The statement that fills in the initial contents; empty if there are none.
std::string argument_contents(const ArgumentPlan& argument);
// The rules for comparing an output: "{{0.001, 0.0001, 0, false}}".
std::string argument_rules(const ArgumentPlan& argument);
// An expression that makes a texture object or a tensor map of the buffer at this address.
std::string texture_value(const ArgumentPlan& argument, const std::string& address);
std::string tensor_map_value(const ArgumentPlan& argument, const std::string& address);

}  // namespace gktune
