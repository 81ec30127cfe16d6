#pragma once

#include <string>
#include <string_view>

namespace gktune {

// The 128-bit XXH3 hash of the bytes, as 32 hexadecimal digits.
std::string content_key(std::string_view bytes);

}  // namespace gktune
