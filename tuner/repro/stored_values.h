#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/space/definition.h"

namespace gktune {

// Values from a database become macros, template arguments and options of a program. The first one that could
// bring code of its own: neither a number, nor a value that the space file lists, nor the name of a type or a
// constant. In words, as "threadsPerBlock='…'"; none: all are safe.
std::optional<std::string> unsafe_value(const Definition& definition, const Config& config,
                                        const Problem& problem);

// A text for a comment: on one line, without a line continuation at its end.
std::string comment_text(std::string_view text);

}  // namespace gktune
