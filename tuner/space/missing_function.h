#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gktune {

// "twice.cu has no function 'twcie', did you mean 'twice'?" if the name in an entry, ns::twcie<float>,
// does not occur in the source; else nothing.
std::optional<std::string> missing_function(const std::string& entry, const std::string& path,
                                            std::string_view text);

}  // namespace gktune
