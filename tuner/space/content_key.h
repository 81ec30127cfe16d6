#pragma once

#include <string>
#include <string_view>

namespace gktune {

// A name of 32 hexadecimal digits for some bytes: XXH3 of 128 bits.
std::string content_key(std::string_view bytes);

}  // namespace gktune
