#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gktune/result.h"
#include "tuner/core/embedded_file.h"

namespace gktune {

// The headers for kernels, which travel in the program, with their paths in #include <…>.
std::span<const EmbeddedFile> kernel_headers();

// Writes those that are missing or damaged to a folder of their own below `folder`, each by way of a file in
// `scratch`. Reads all of them at each call. Returns their folder.
Result<std::string> place_kernel_headers(const std::string& folder, const std::string& scratch = {});

// The text of an #error for a header that CUDA has and the host device has not: "CUTLASS
// (<cutlass/cutlass.h>) cannot run on the host device". `name` is as in the #include: <cutlass/cutlass.h>.
// `has_curand`: the toolkit has the header that our curand_kernel.h includes. An empty text: the code uses
// nothing of the header, which counts as empty.
std::optional<std::string> unsupported_header(std::string_view name, bool has_curand, std::string_view code);
// True if a file in one of these folders has the name of a header that the host device provides, or of one
// that it refuses.
bool is_of_library(std::string_view path, std::span<const std::string> include_dirs);

// One line for a compiler's log about this source whose first error is due to a
// feature that the host device lacks.
std::optional<std::string> unsupported_feature(std::string_view log, std::string_view source);

}  // namespace gktune
