#pragma once

#include <string>

#include "tuner/space/plan.h"

namespace gktune {

// A source with its macros and with the text of all that it includes from the author's own folders, in a
// namespace of that name: it can stand in one file with others, and needs none beside it. Headers of the
// system stay includes, outside of the namespace and unseen by the macros; nothing that it defines for the
// preprocessor outlives it.
std::string enclosed_source(const SourcePlan& source, const std::string& name);

}  // namespace gktune
