#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tuner/space/plan.h"

namespace gktune {

// A bundle: a header, code at aligned places, and an index in CBOR.
//   0   kBundleMagic
//   16  digest of all bytes from 48 on, 32 hexadecimal digits
//   48  place of the index, 8 bytes, little-endian
//   56  size of the index, the same
//   64  code
inline constexpr std::string_view kBundleMagic = "gktune bundle 1\n";
inline constexpr std::size_t kBundleMagicStem = 14;  // the same in all formats
inline constexpr std::size_t kDigestPlace = 16, kDigestSize = 32, kDigestedFrom = 48, kCodePlace = 64;
inline constexpr std::size_t kCodeAlignment = 64;

// Identifies code among that of one version of a kernel for one architecture: macros, options and entries.
std::string variant_key(const SourcePlan& source);

}  // namespace gktune
