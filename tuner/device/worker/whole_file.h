#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/result.h"

namespace gktune {

std::optional<std::string> read_whole(const std::filesystem::path& path);

// Under another name first: a reader sees all of it or nothing. Makes the folder where it is missing.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes);

// That other name, which nobody else has: what becomes `path`, or has to do with it, is made there.
std::filesystem::path unfinished_path(const std::filesystem::path& path);
bool is_unfinished(const std::filesystem::path& path);

}  // namespace gktune
