#pragma once

#include <string>

#include "tuner/space/plan.h"

namespace gktune {

// Arguments of a plan as lines of C++ in a repro.

// The member of the struct that holds them all: "Buffer<float> in{"in", 1024};", "long long n = 1024;".
std::string argument_member(const ArgumentPlan& argument);
// A scalar's value as an expression of its type: "static_cast<int>(7)".
std::string scalar_value(const ArgumentPlan& argument);
// A scalar's type as a member of a struct: "float", "gktune::Half".
std::string member_type(const ArgumentPlan& argument);
// The statement that makes the initial contents; empty if there are none.
std::string argument_contents(const ArgumentPlan& argument);
// How an output is judged: "{{0.001, 0.0001, 0, false}}".
std::string argument_rules(const ArgumentPlan& argument);
// A tensor map of the buffer at this address, as an expression.
std::string texture_value(const ArgumentPlan& argument, const std::string& address);
std::string tensor_map_value(const ArgumentPlan& argument, const std::string& address);

}  // namespace gktune
