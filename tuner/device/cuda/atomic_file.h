#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/result.h"

namespace gktune {

// Under another name first: a reader sees all of it or nothing.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes);
std::optional<std::string> read_whole(const std::filesystem::path& path);

}  // namespace gktune
