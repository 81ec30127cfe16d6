#pragma once

#include <spdlog/logger.h>

#include <iosfwd>

#include "cli/screen.h"

namespace gktune {

// Lines for people, "warning: …", on a stream of the caller's.
spdlog::logger make_log(std::ostream& stream, const Screen& screen);

}  // namespace gktune
