#pragma once

#include <string>
#include <string_view>

namespace gktune {

// 32 hexadecimal digits that stand for the text.
std::string digest(std::string_view text);

}  // namespace gktune
