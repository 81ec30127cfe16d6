#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/space/definition.h"

namespace gktune {

// Finds a stored value that could inject code when it becomes a macro, a template argument or an option: it
// is neither a number, nor a value that the space file lists, nor the name of a type or constant. Returns a
// text such as "threadsPerBlock='…'"; nothing if all values are safe.
std::optional<std::string> unsafe_value(const Definition& definition, const Config& config,
                                        const Problem& problem);

// The text on one line and without a line continuation at its end, for a comment.
std::string comment_text(std::string_view text);

}  // namespace gktune
