#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

#include "gktune/result.h"

namespace gktune {

// Files that the user of a command names for its output.

// The file that a symbolic link names, whether it exists or not.
std::filesystem::path target_of(std::filesystem::path path);

// Why the file cannot be an output: it is a folder, or a database, which holds more than can be made again.
Result<void> check_output(const std::filesystem::path& path);

// Lets `write` write the file. The file appears once it is complete: a failure leaves an older one as it
// was. A link stays, and the file that it names is replaced. Pipes, devices and descriptors
// (/dev/stdout) are written directly.
Result<void> write_output(const std::filesystem::path& path,
                          const std::function<Result<void>(std::ostream&)>& write);
Result<void> write_output(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gktune
