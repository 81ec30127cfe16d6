#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/source/flat_source.h"

namespace gktune {

struct HeaderCompile {
  std::string text;  // includes the source's headers of CUDA and the system, and nothing else
  std::vector<std::string> options;
};

// The message about the first macro among the options (-DX=1, or -D and X=1) without which the headers
// compile and with which they do not. Nothing if no macro is at fault.
std::optional<std::string> option_at_fault(const FlatSource& source, const std::vector<std::string>& options,
                                           const std::function<bool(const HeaderCompile&)>& compiles);

}  // namespace gktune
