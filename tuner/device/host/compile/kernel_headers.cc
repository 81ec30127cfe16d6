#include "tuner/device/host/compile/kernel_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "tuner/core/files.h"
#include "tuner/space/fingerprint.h"

namespace gktune {
namespace fs = std::filesystem;

// The headers below include/.
std::span<const EmbeddedFile> written_kernel_headers();

namespace {

// Headers of CUDA that declare only what a source sees without them.
constexpr std::string_view kSeenWithout[] = {"cuda.h",
                                             "cuda_device_runtime_api.h",
                                             "cuda_runtime.h",
                                             "cuda_runtime_api.h",
                                             "device_functions.h",
                                             "device_launch_parameters.h",
                                             "texture_indirect_functions.h",
                                             "texture_types.h",
                                             "vector_functions.h",
                                             "vector_types.h"};

// Headers of libcu++ whose names are those of the C++ library.
constexpr std::string_view kStandardHeaders[] = {
    "algorithm", "array",   "cassert",     "climits",          "cmath",    "complex", "cstddef",
    "cstdint",   "cstdlib", "cstring",     "initializer_list", "iterator", "limits",  "numeric",
    "ratio",     "tuple",   "type_traits", "utility"};

// The headers whose texts are made here.
std::vector<std::pair<std::string, std::string>> made_headers() {
  std::vector<std::pair<std::string, std::string>> made;
  for (const std::string_view path : kSeenWithout)
    made.emplace_back(path, "#pragma once\n#include \"gktune/cuda.h\"\n");
  made.emplace_back("cuda_pipeline_primitives.h", "#pragma once\n#include \"cuda_pipeline.h\"\n");
  for (const std::string_view name : kStandardHeaders) {
    made.emplace_back(
        fmt::format("cuda/std/{}", name),
        fmt::format("#pragma once\n#include <{}>\nnamespace cuda::std {{\nusing namespace ::std;\n}}\n",
                    name));
  }
  return made;
}

}  // namespace

std::span<const EmbeddedFile> kernel_headers() {
  static const auto made = made_headers();
  static const std::vector<EmbeddedFile> all = [] {
    const auto written = written_kernel_headers();
    std::vector<EmbeddedFile> files(written.begin(), written.end());
    for (const auto& [path, text] : made) files.push_back({path, text});
    return files;
  }();
  return all;
}

// Several processes may do so at once: each sees complete files, and all write the same.
Result<std::string> place_kernel_headers(const std::string& folder, const std::string& scratch) {
  static const std::string name = [] {
    std::string all;
    for (const EmbeddedFile& header : kernel_headers())
      all += fmt::format("{}\n{}\n", header.path, header.text);
    return "host-headers-" + content_key(all);
  }();
  const fs::path place = fs::path(folder) / name;
  for (const EmbeddedFile& header : kernel_headers()) {
    const fs::path path = place / header.path;
    if (const auto present = read_whole(path); present && *present == header.text) continue;
    if (auto written = write_atomically(path, header.text, scratch); !written) return written.error();
  }
  return place.string();
}

namespace {

constexpr std::string_view kCannotRun = "cannot run on the host device";

struct Library {
  std::string_view path;  // the beginning of its headers' paths
  std::string_view name;
  std::string_view word = {};  // that all code has which uses it; empty: none
};
constexpr Library kLibraries[] = {
    {"mma.h", "tensor-core kernels", "wmma"},
    {"cub/device/", "CUB's algorithms for a device", "cub"},
    {"cub/", "this part of CUB", "cub"},
    {"thrust/", "Thrust", "thrust"},
    {"cute/", "CuTe", "cute"},
    {"cutlass/", "CUTLASS", "cutlass"},
    {"curand", "cuRAND", "curand"},
    {"cuda/", "this part of libcu++"},
    {"cuda_fp8", "8-bit floating-point types", "__nv_fp8"},
    {"cuda_fp6", "6-bit floating-point types", "__nv_fp6"},
    {"cuda_fp4", "4-bit floating-point types", "__nv_fp4"},
    {"texture_", "this kind of texture", "tex"},
    {"surface_", "surfaces", "surf"},
    {"cooperative_groups/", "this part of cooperative groups"},
    {"cuda_awbarrier", "barriers by their primitives", "__mbarrier"},
    {"nv/", "this part of libcu++"},
    {"crt/", "a part of the toolkit"},
    {"cublasdx", "cuBLASDx", "cublasdx"},
    {"cufftdx", "cuFFTDx", "cufftdx"},
};

// Names in a compiler's first error, and the feature that they belong to.
struct Feature {
  std::string_view name, words;
};
constexpr Feature kFeatures[] = {
    {"‘cub’", "this part of CUB"},  // GCC: ‘DeviceReduce’ is not a member of ‘cub’
    {"'cub'", "this part of CUB"},  // clang: no member named 'DeviceReduce' in namespace 'cub'
    {"cudaSurfaceObject_t", "surfaces"},
    {"tex1DL", "this kind of texture"},
    {"tex1DG", "this kind of texture"},
    {"tex2DL", "this kind of texture"},
    {"tex2DG", "this kind of texture"},
    {"tex2Dg", "this kind of texture"},
    {"tex3D", "this kind of texture"},
    {"texCubemap", "this kind of texture"},
    {"surf1D", "surfaces"},
    {"surf2D", "surfaces"},
    {"surf3D", "surfaces"},
    {"__cluster_dims__", "thread-block clusters"},
    {"CUtensorMap", "tensor maps"},
};

// kernel.cu:3 of "kernel.cu:3:5: error: …"
std::string place_in(std::string_view line) {
  const std::size_t error = line.find(" error: ");
  std::string_view place = line.substr(0, error == std::string_view::npos ? 0 : error);
  place = place.substr(place.rfind(' ') + 1);
  for (int i = 0; i < 2; ++i) {
    if (place.ends_with(':')) place.remove_suffix(1);
  }
  // Without the column.
  const std::size_t colon = place.rfind(':');
  const bool has_column = colon != std::string_view::npos && colon > 0 && place.find(':') != colon;
  return std::string(has_column ? place.substr(0, colon) : place);
}

// The line of a text with this number.
std::string_view line_of(std::string_view text, const std::string& number) {
  for (long line = std::strtol(number.c_str(), nullptr, 10); line > 1 && !text.empty(); --line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return text.substr(0, text.find('\n'));
}

bool is_ours(std::string_view path) {
  return std::ranges::any_of(kernel_headers(),
                             [&](const EmbeddedFile& header) { return header.path == path; });
}

}  // namespace

std::optional<std::string> unsupported_header(std::string_view name, bool has_curand, std::string_view code) {
  if (name.size() < 3 || (name.front() != '<' && name.front() != '"')) return std::nullopt;
  const std::string_view path = name.substr(1, name.size() - 2);
  if (is_ours(path) && (has_curand || path != "curand_kernel.h")) return std::nullopt;
  const auto library =
      std::ranges::find_if(kLibraries, [&](const Library& each) { return path.starts_with(each.path); });
  if (library == std::end(kLibraries)) return std::nullopt;
  if (code.find(library->word) == std::string_view::npos) return "";
  return std::string(library->name) + " (" + std::string(name) + ") " + std::string(kCannotRun);
}

bool is_of_library(std::string_view path, std::span<const std::string> include_dirs) {
  // A folder of the user's may be called cuda, and a file curand_streams.h.
  constexpr std::string_view kFolders[] = {"cub/", "thrust/", "cute/", "cutlass/", "cuda/std/", "cuda/__"};
  constexpr std::string_view kFiles[] = {"mma.h", "curand.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h"};
  return std::ranges::any_of(include_dirs, [&](const std::string& dir) {
    const std::string name = std::filesystem::path(path).lexically_relative(dir).generic_string();
    return is_ours(name) || std::ranges::find(kFiles, name) != std::end(kFiles) ||
           std::ranges::any_of(kFolders, [&](std::string_view folder) { return name.starts_with(folder); });
  });
}

std::optional<std::string> unsupported_feature(std::string_view log, std::string_view source) {
  const std::size_t error = log.find(" error: ");
  if (error == std::string_view::npos) return std::nullopt;
  const std::size_t begin = log.rfind('\n', error) + 1;  // npos + 1 is 0
  const std::size_t end = std::min(log.find('\n', error), log.size());
  const std::string_view first = log.substr(begin, end - begin);
  const std::string place = place_in(first);
  if (const std::size_t at = first.find(kCannotRun); at != std::string_view::npos) {
    // The compiler's own words come before the message.
    std::string_view message = first.substr(0, at + kCannotRun.size());
    message.remove_prefix(std::min(message.find(" error: ") + 8, message.size()));
    for (const std::string_view words : {"attribute error: ", "'error' attribute: ", "#error "}) {
      if (const std::size_t behind = message.find(words); behind != std::string_view::npos)
        message.remove_prefix(behind + words.size());
    }
    while (!message.empty() && (message.front() == '"' || message.front() == '\'')) message.remove_prefix(1);
    return place + ": error: " + std::string(message) + '\n';
  }
  for (const Feature& feature : kFeatures) {
    if (first.find(feature.name) != std::string_view::npos)
      return place + ": error: " + std::string(feature.words) + ' ' + std::string(kCannotRun) + '\n';
  }
  // A launch by a kernel: child<<<1, 1>>>(…)
  const std::size_t colon = place.rfind(':');
  if (colon != std::string::npos &&
      line_of(source, place.substr(colon + 1)).find("<<<") != std::string_view::npos)
    return place + ": error: launches by a kernel (<<<…>>>) " + std::string(kCannotRun) + '\n';
  return std::nullopt;
}

}  // namespace gktune
