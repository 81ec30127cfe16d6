#pragma once

#include "db/values_json.h"
#include "tuner/space/definition.h"

namespace gktune {

// The part of a definition that launches need: axes, arguments, launches, constraints, options. Expressions
// are texts without definitions; sources, references, checks and metrics are left out.
SortedJson definition_json(const Definition& definition);
// The opposite. Throws std::exception for other JSON.
Definition definition_from(const SortedJson& json);

}  // namespace gktune
