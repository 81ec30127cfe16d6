#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/import/host_code.h"
#include "tuner/source/tokens.h"

namespace gktune {

// A macro, a constant or an enumerator with an integer value.
struct SourceSetting {
  std::string name;
  std::int64_t value;
  bool is_global;  // kernels can use it
};

// Finds the settings of a source and of its #define lines. Defines the macros and enumerators in `host`.
std::vector<SourceSetting> source_settings(Tokens tokens, const std::vector<std::vector<Token>>& defines,
                                           HostCode& host);

}  // namespace gktune
