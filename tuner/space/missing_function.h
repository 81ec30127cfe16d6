#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gktune {

// The error if the source does not contain the function of an entry such as ns::twcie<float>: "twice.cu has
// no function 'twcie', did you mean 'twice'?". Else nothing.
std::optional<std::string> missing_function(const std::string& entry, const std::string& path,
                                            std::string_view text);

}  // namespace gktune
