#pragma once

#include <filesystem>

#include "tuner/core/result.h"

namespace gktune {

// Makes the folder and its missing parents with mode 0700, and returns its absolute path without symbolic
// links. An error: another user owns or can write the folder or one of its parents. Root is trusted; a parent
// with the sticky bit, such as /tmp, protects what is in it. Code is loaded from the folder.
Result<std::filesystem::path> make_private_folder(const std::filesystem::path& path);

}  // namespace gktune
