#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "db/store/archive.h"

namespace gktune {

// An answer from a state that has changed is never given in silence. Each warns on standard error.

// Of one answer.
void warn_of_stale(const std::vector<std::string>& changes, Context& context);
// Of winners: names the one that a change concerns, counts several.
void warn_of_stale(std::span<const Best> winners, std::span<const Evidence> evidences, Context& context);

}  // namespace gktune
