#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "gktune/result.h"

namespace gktune {

// The reason of a failed system call, from its errno. Names the limit that `ulimit
// -f` sets, if that is the reason.
std::string system_reason(int error);

// Opens a regular file. A pipe or a device may have no end.
Result<std::ifstream> open_regular(const std::filesystem::path& path);

// The contents of a regular file of at most `most` bytes.
Result<std::string> read_whole(const std::filesystem::path& path,
                               std::size_t most = std::numeric_limits<std::size_t>::max());

// Whether it is a database of SQLite.
bool is_database(const std::filesystem::path& path);

// Writes to another name first, so that a reader sees all of the file or nothing: in the folder `aside`,
// which is on the same file system, by default beside the file. Makes a missing folder.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes,
                              const std::filesystem::path& aside = {});

// A unique name for a file that is renamed to `path` once it is complete.
std::filesystem::path unfinished_path(const std::filesystem::path& path);
bool is_unfinished(const std::filesystem::path& path);

// The file that a symbolic link names, whether it exists or not.
std::filesystem::path target_of(std::filesystem::path path);

// Why the file cannot be an output: it is a folder, or a database, which holds more than can be made again.
Result<void> check_output(const std::filesystem::path& path);

// Writes the bytes, or what `write` puts into the stream. The file appears once it is complete: a failure
// leaves an older one as it was. A link stays, and the file that it names is replaced. Pipes, devices and
// descriptors
// (/dev/stdout) are written directly.
Result<void> write_output(const std::filesystem::path& path,
                          const std::function<Result<void>(std::ostream&)>& write);
Result<void> write_output(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gktune
