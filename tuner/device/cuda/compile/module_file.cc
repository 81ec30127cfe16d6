#include "tuner/device/cuda/compile/module_file.h"

#include <nlohmann/json.hpp>

#include "tuner/core/whole_file.h"
#ifdef GKTUNE_HAVE_ZSTD
#include <zstd.h>
#endif

namespace gktune {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "gktune module 1\n";

// A header of one line of JSON, then the machine code, compressed if zstd is available.
#ifdef GKTUNE_HAVE_ZSTD
constexpr std::string_view kPacking = "zstd";

std::string pack(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return packed;
}

std::optional<std::string> unpack(std::string_view packed, std::size_t size) {
  std::string bytes(size, '\0');
  const std::size_t got = ZSTD_decompress(bytes.data(), size, packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return bytes;
}
#else
constexpr std::string_view kPacking = "none";

std::string pack(const std::string& bytes) { return bytes; }

std::optional<std::string> unpack(std::string_view packed, std::size_t size) {
  if (packed.size() != size) return std::nullopt;
  return std::string(packed);
}
#endif

}  // namespace

std::string pack_module(const CompiledModule& module) {
  json kernels = json::array();
  for (const auto& kernel : module.kernels) {
    kernels.push_back({kernel.symbol, kernel.registers, kernel.stack_bytes, kernel.spill_bytes,
                       kernel.static_shared_bytes});
  }
  const json header{{"packing", kPacking}, {"size", module.cubin.size()}, {"kernels", kernels}};
  return std::string(kMagic) + header.dump() + '\n' + pack(module.cubin);
}

Result<CompiledModule> read_module(const std::filesystem::path& path) {
  const auto bytes = read_whole(path);
  if (!bytes) return Error{"no compiled module at " + path.string()};
  const Error broken{"the compiled module " + path.string() + " is broken"};
  const auto end = bytes->find('\n', kMagic.size());
  if (!bytes->starts_with(kMagic) || end == std::string::npos) return broken;
  const json header =
      json::parse(bytes->begin() + kMagic.size(), bytes->begin() + static_cast<std::ptrdiff_t>(end), nullptr,
                  /*allow_exceptions=*/false);
  if (!header.is_object() || header.value("packing", "") != kPacking) return broken;

  auto cubin = unpack(std::string_view(*bytes).substr(end + 1), header.value("size", std::size_t{0}));
  if (!cubin) return broken;
  CompiledModule module{std::move(*cubin), {}};
  for (const auto& kernel : header.value("kernels", json::array())) {
    if (!kernel.is_array() || kernel.size() != 5) return broken;
    module.kernels.push_back({kernel[0], kernel[1], kernel[2], kernel[3], kernel[4]});
  }
  return module;
}

}  // namespace gktune
