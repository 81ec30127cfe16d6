#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/space/plan.h"

namespace gktune {

// The message if a compiler's first error is that the source has no function of an entry's name: its other
// errors are in files that the user has never seen. Nothing if the first error is another one.
std::optional<std::string> missing_entry(const SourcePlan& source, std::string_view log);

}  // namespace gktune
