#pragma once

#include <string>

#include "tuner/space/plan.h"

namespace gktune {

// Puts a source into a namespace of this name, with its macros and the text of the author's own headers, so
// that one file can contain several sources and needs no other file. System headers stay includes, before the
// namespace and the macros. The end of the text undefines all macros that the source defines.
std::string enclosed_source(const SourcePlan& source, const std::string& name);

}  // namespace gktune
