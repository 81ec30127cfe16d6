#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "db/store/archive.h"

namespace gktune {

// An answer from a state that has changed is never given in silence. Each warns on standard error.

// Warns of the changes that make one answer stale.
void warn_of_stale(const std::vector<std::string>& changes, Context& context);
// Warns of the changes that make winners stale. Names the winner if a change concerns only one, else counts them.
void warn_of_stale(std::span<const Best> winners, std::span<const Evidence> evidences, Context& context);

}  // namespace gktune
