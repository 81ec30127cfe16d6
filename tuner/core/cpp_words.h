#pragma once

#include <string_view>

namespace gktune {

// Whether C++20 keeps the word for itself, also as another spelling of an operator (`and`).
bool is_cpp_keyword(std::string_view word);

}  // namespace gktune
