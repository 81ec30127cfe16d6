#include "tuner/repro/argument_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "tuner/core/value.h"

namespace gktune {
namespace {

std::string cpp_type(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return "signed char";
    case ElementType::int16:
      return "short";
    case ElementType::int32:
      return "int";
    case ElementType::int64:
      return "long long";
    case ElementType::uint8:
      return "unsigned char";
    case ElementType::uint16:
      return "unsigned short";
    case ElementType::uint32:
      return "unsigned";
    case ElementType::uint64:
      return "unsigned long long";
    case ElementType::float16:
      return "gktune::Half";
    case ElementType::bfloat16:
      return "gktune::Bfloat16";
    case ElementType::float8_e4m3:
      return "gktune::Float8E4m3";
    case ElementType::float8_e5m2:
      return "gktune::Float8E5m2";
    case ElementType::complex64:
      return "gktune::Complex<float>";
    case ElementType::complex128:
      return "gktune::Complex<double>";
    case ElementType::float32:
      return "float";
    case ElementType::float64:
      break;
  }
  return "double";
}

bool is_real(ElementType type) { return type >= ElementType::float16; }

// The kernel's parameter of any type is converted from this one.
std::string scalar_type(ElementType type) {
  if (!is_real(type)) return cpp_type(type);
  return type == ElementType::float32 ? "float" : "double";
}

std::string literal(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  return std::to_string(value);
}

// The shortest that is the same double again.
std::string literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// The range of the type, limited to signed 64 bits. Normally distributed integers are clamped to it.
std::pair<std::int64_t, std::int64_t> signed_range(ElementType type) {
  const auto bits = static_cast<int>(element_size(type) * 8);
  const std::int64_t all = std::numeric_limits<std::int64_t>::max();
  if (type <= ElementType::int64) return {-(all >> (64 - bits)) - 1, all >> (64 - bits)};
  return {0, bits == 64 ? all : all >> (63 - bits)};
}

// Element i, as the tuner makes it; part i of complex numbers.
std::string element(const ArgumentPlan& argument) {
  const ContentsPlan& contents = argument.contents;
  const bool real = is_real(argument.type);
  // Integers as their bits: those that are negative wrap, and so do sums and products.
  const std::string a = real ? literal(contents.a) : fmt::format("{}ull", contents.a_integer);
  const std::string b = real ? literal(contents.b) : fmt::format("{}ull", contents.b_integer);
  switch (contents.kind) {
    default:
      break;
    case ContentsKind::constant:
      return is_complex(argument.type) ? fmt::format("i % 2 == 0 ? {} : 0.0", a) : a;
    case ContentsKind::ramp:
      return real ? fmt::format("{} + {} * static_cast<double>(i)", a, b) : fmt::format("{} + {} * i", a, b);
    case ContentsKind::uniform:
      return fmt::format("gktune::{}({}ull, i, {}, {})", real ? "uniform_real" : "uniform_integer",
                         contents.seed, a, b);
    case ContentsKind::normal: {
      const std::string moments =
          fmt::format("{}ull, i, {}, {}", contents.seed, literal(contents.a), literal(contents.b));
      if (real) return fmt::format("gktune::normal_real({})", moments);
      const auto [low, high] = signed_range(argument.type);
      return fmt::format("gktune::normal_integer({}, {}, {})", moments, literal(low), literal(high));
    }
  }
  return "0";
}

// All elements of contents that depend on each other, as the tuner makes them: a vector.
std::string structured_values(const ArgumentPlan& argument) {
  const ContentsPlan& contents = argument.contents;
  const SparsePlan& sparse = contents.sparse;
  const std::string seed = fmt::format("{}ull", contents.seed), count = fmt::format("{}ull", argument.count);
  const std::string offsets =
      fmt::format("gktune::csr_offsets({}, {}, {}, {}, {}, {}ull)", sparse.rows, sparse.columns,
                  sparse.nonzeros, static_cast<int>(sparse.lengths), literal(sparse.exponent), sparse.seed);
  switch (contents.kind) {
    case ContentsKind::sorted:
      if (is_real(argument.type))
        return fmt::format("gktune::sorted_reals({}, {}, {}, {})", count, seed, literal(contents.a),
                           literal(contents.b));
      return fmt::format("gktune::sorted_integers({}, {}, {}, {})", count, seed, literal(contents.a_integer),
                         literal(contents.b_integer));
    case ContentsKind::permutation:
      return fmt::format("gktune::permutation({}, {})", count, seed);
    case ContentsKind::zipf:
      return fmt::format("gktune::zipf_numbers({}, {}, {}, {})", count, seed, contents.a_integer,
                         literal(contents.b));
    case ContentsKind::field:
      return fmt::format("gktune::field_values({}, {}, {}, {}, {})", count, seed, contents.width,
                         literal(contents.a), literal(contents.b));
    case ContentsKind::csr_offsets:
      return offsets;
    default:
      return fmt::format("gktune::csr_columns({}, {}, {})", offsets, sparse.columns, seed);
  }
}

}  // namespace

std::string scalar_value(const ArgumentPlan& argument) {
  const std::string value =
      is_real(argument.type) ? literal(argument.scalar.number()) : literal(argument.scalar.integer());
  const std::string type = scalar_type(argument.type);
  return type == "double" ? value : fmt::format("static_cast<{}>({})", type, value);
}

std::string member_type(const ArgumentPlan& argument) { return cpp_type(argument.type); }

std::string argument_member(const ArgumentPlan& argument) {
  if (argument.is_scalar)
    return fmt::format("{} {} = {};", scalar_type(argument.type), argument.name, scalar_value(argument));
  return fmt::format("gktune::Buffer<{}> {}{{\"{}\", {}}};", cpp_type(argument.type), argument.name,
                     argument.name, argument.count);
}

std::string argument_contents(const ArgumentPlan& argument) {
  using Role = Argument::Role;
  if (argument.is_scalar || (argument.role != Role::in && argument.role != Role::inout)) return {};
  if (argument.contents.kind == ContentsKind::file) {
    const std::string path = std::filesystem::absolute(argument.contents.file).lexically_normal().string();
    return fmt::format("{}.load({});", argument.name, json_quote(path));
  }
  if (is_made_on_host(argument.contents.kind)) {
    const bool rounds = argument.contents.kind == ContentsKind::field && !is_real(argument.type);
    return fmt::format("{}.generate([values = {}](unsigned long long i) {{ return {}; }});", argument.name,
                       structured_values(argument),
                       rounds ? "static_cast<long long>(std::floor(values[i] + 0.5))" : "values[i]");
  }
  const std::string value = element(argument);
  const bool sees_i = value.find('i') != std::string::npos &&
                      (argument.contents.kind != ContentsKind::constant || is_complex(argument.type)) &&
                      argument.contents.kind != ContentsKind::zero;
  return fmt::format("{}.generate([](unsigned long long{}) {{ return {}; }});", argument.name,
                     sees_i ? " i" : "", value);
}

std::string argument_rules(const ArgumentPlan& argument) {
  const TolerancePlan& tolerance = argument.tolerance;
  const std::string bounds = fmt::format("{{{}, {}, {}, {}}}", literal(tolerance.absolute),
                                         literal(tolerance.relative), tolerance.ulp, tolerance.nan_equals);
  if (!tolerance.has_norm && !tolerance.any_order && tolerance.pitch == 0) return "{" + bounds + "}";
  return fmt::format("{{{}, {}, {}, {}, {}, {}}}", bounds, tolerance.row, tolerance.pitch,
                     tolerance.any_order, tolerance.has_norm, literal(tolerance.norm));
}

std::string texture_value(const ArgumentPlan& argument, const std::string& address) {
  const TexturePlan& texture = argument.texture;
  static constexpr std::string_view kAddresses[] = {"Clamp", "Border", "Wrap", "Mirror"};
  const std::size_t bits = element_size(texture.type) * 8;
  const std::string_view kind = is_real(texture.type)                ? "Float"
                                : texture.type >= ElementType::uint8 ? "Unsigned"
                                                                     : "Signed";
  std::string format = "cudaCreateChannelDesc(";
  for (std::int64_t channel = 0; channel < 4; ++channel)
    format += fmt::format("{}, ", channel < texture.channels ? bits : 0);
  format += fmt::format("cudaChannelFormatKind{})", kind);
  return fmt::format("::gktune::texture({}, {}, {}, {}, {}, cudaAddressMode{}, cudaFilterMode{}, {}, {})",
                     address, format, texture.width, texture.height, texture.pitch_bytes,
                     kAddresses[static_cast<std::size_t>(texture.address)],
                     texture.filter == TexturePlan::Filter::linear ? "Linear" : "Point",
                     texture.is_normalized, texture.reads_fractions);
}

std::string tensor_map_value(const ArgumentPlan& argument, const std::string& address) {
  const TensorMapPlan& map = argument.tensor_map;
  static constexpr std::string_view kUnsigned[] = {"UINT8", "UINT16", "UINT32", "UINT64"};
  const std::size_t size = element_size(map.type);
  std::string_view type = kUnsigned[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
  if (map.type == ElementType::float16) type = "FLOAT16";
  if (map.type == ElementType::bfloat16) type = "BFLOAT16";
  if (map.type == ElementType::float32) type = "FLOAT32";
  if (map.type == ElementType::float64) type = "FLOAT64";
  if (map.type == ElementType::int32) type = "INT32";
  if (map.type == ElementType::int64) type = "INT64";
  const std::string swizzle = map.swizzle_bytes == 0 ? "NONE" : fmt::format("{}B", map.swizzle_bytes);
  return fmt::format(
      "::gktune::tensor_map({}, CU_TENSOR_MAP_DATA_TYPE_{}, {{{}}}, {{{}}}, {{{}}}, "
      "CU_TENSOR_MAP_SWIZZLE_{})",
      address, type, fmt::join(map.sizes, ", "), fmt::join(map.stride_bytes, ", "), fmt::join(map.box, ", "),
      swizzle);
}

}  // namespace gktune
