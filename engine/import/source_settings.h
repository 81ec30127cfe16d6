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

// Those of a source, and of its #define lines. Tells the host code the values of macros and enumerators.
std::vector<SourceSetting> source_settings(Tokens tokens, const std::vector<std::vector<Token>>& defines, HostCode& host);

}  // namespace gktune
