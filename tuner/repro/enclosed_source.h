#pragma once

#include <string>

#include "tuner/space/plan.h"

namespace gktune {

// A source with its macros and with the text of all that it includes from the author's own folders, in a
// namespace of that name, so that one file can hold several sources and needs no other file. Headers of the
// system stay includes, in front of the namespace and of the macros. The end of the text undefines all macros
// that the source defines.
std::string enclosed_source(const SourcePlan& source, const std::string& name);

}  // namespace gktune
