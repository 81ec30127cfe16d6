#include "tuner/measure/contents.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "tuner/array/npy.h"
#include "tuner/measure/element.h"
#include "tuner/measure/generator.h"
#include "tuner/measure/structures.h"

namespace gktune {
namespace {

// Rounded to the nearest integers if the type has no others.
void store_numbers(ElementType type, const std::vector<double>& values, std::span<std::byte> buffer) {
  if (is_floating(type)) return store_all_reals(type, buffer, [&](std::size_t i) { return values[i]; });
  store_all_bits(type, buffer,
                 [&](std::size_t i) { return static_cast<std::int64_t>(std::floor(values[i] + 0.5)); });
}

// Fills a buffer whose elements depend on each other: sorted, permutation, zipf, field, csr_offsets,
// csr_columns.
Result<void> fill_structured(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  const std::uint64_t count = buffer.size() / element_size(type);
  const SparsePlan& sparse = plan.sparse;
  const auto unsigned_of = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  const auto offsets = [&] {
    return csr_offsets(unsigned_of(sparse.rows), unsigned_of(sparse.columns), unsigned_of(sparse.nonzeros),
                       static_cast<int>(sparse.lengths), sparse.exponent, sparse.seed);
  };
  const auto store_integers = [&](const auto& values) {
    store_all_bits(type, buffer, [&](std::size_t i) { return values[i]; });
  };
  switch (plan.kind) {
    case ContentsKind::sorted:
      if (is_floating(type)) {
        store_numbers(type, sorted_reals(count, plan.seed, plan.a, plan.b), buffer);
      } else {
        store_integers(sorted_integers(count, plan.seed, plan.a_integer, plan.b_integer));
      }
      break;
    case ContentsKind::permutation: {
      const auto bits = static_cast<int>(element_size(type) * 8) - (is_signed_integer(type) ? 1 : 0);
      if (bits < 64 && count > 0 && (count - 1) >> bits != 0) {
        return Error{"permutation: " + std::to_string(count - 1) + " does not fit into " +
                     std::string(element_type_name(type))};
      }
      store_integers(permutation(count, plan.seed));
      break;
    }
    case ContentsKind::zipf:
      store_integers(zipf_numbers(count, plan.seed, unsigned_of(plan.a_integer), plan.b));
      break;
    case ContentsKind::field:
      store_numbers(type, field_values(count, plan.seed, unsigned_of(plan.width), plan.a, plan.b), buffer);
      break;
    case ContentsKind::csr_offsets:
      store_integers(offsets());
      break;
    default:
      store_integers(csr_columns(offsets(), unsigned_of(sparse.columns), plan.seed));
  }
  return {};
}

// True if a 64-bit integer fits the type.
bool holds(ElementType type, std::int64_t value) {
  std::byte bytes[8];
  store_bits(type, bytes, static_cast<std::uint64_t>(value));
  return static_cast<std::int64_t>(load_bits(type, bytes)) == value;
}

// The smallest and the largest integer of the type that fits into a signed integer of 64 bits.
std::pair<std::int64_t, std::int64_t> signed_range(ElementType type) {
  const auto bits = static_cast<int>(element_size(type) * 8);
  const std::int64_t all = std::numeric_limits<std::int64_t>::max();
  if (is_signed_integer(type)) return {-(all >> (64 - bits)) - 1, all >> (64 - bits)};
  return {0, bits == 64 ? all : all >> (63 - bits)};
}

Error outside(ElementType type, std::int64_t value) {
  return {std::to_string(value) + " does not fit into " + std::string(element_type_name(type))};
}

Result<void> fill_integers(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  const auto a = static_cast<std::uint64_t>(plan.a_integer), b = static_cast<std::uint64_t>(plan.b_integer);
  const std::uint64_t count = buffer.size() / element_size(type);
  auto each = [&](auto&& bits_at) {
    store_all_bits(type, buffer, bits_at);
    return Result<void>();
  };
  switch (plan.kind) {
    case ContentsKind::constant:
      if (!holds(type, plan.a_integer)) return outside(type, plan.a_integer);
      return each([&](std::size_t) { return a; });
    case ContentsKind::ramp:  // wraps, as the type does
      return each([&](std::size_t i) { return a + b * drawn_place(plan.seed, i, count); });
    case ContentsKind::uniform:
      for (std::int64_t bound : {plan.a_integer, plan.b_integer}) {
        if (!holds(type, bound)) return outside(type, bound);
      }
      if (plan.a_integer > plan.b_integer) {
        return Error{"uniform from " + std::to_string(plan.a_integer) + " to " +
                     std::to_string(plan.b_integer) + ": the first must not be the greater"};
      }
      return each([&](std::size_t i) { return uniform_integer(plan.seed, i, a, b); });
    default: {
      const auto range = signed_range(type);
      return each([&](std::size_t i) {
        return static_cast<std::uint64_t>(
            normal_integer(plan.seed, i, plan.a, plan.b, range.first, range.second));
      });
    }
  }
}

void fill_reals(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  const std::uint64_t count = buffer.size() / element_size(type);
  auto each = [&](auto&& value_at) { store_all_reals(type, buffer, value_at); };
  switch (plan.kind) {
    case ContentsKind::constant:
      return each([&](std::size_t) { return plan.a; });
    case ContentsKind::ramp:
      return each([&](std::size_t i) {
        return plan.a + plan.b * static_cast<double>(drawn_place(plan.seed, i, count));
      });
    case ContentsKind::uniform:
      return each([&](std::size_t i) { return uniform_real(plan.seed, i, plan.a, plan.b); });
    default:
      return each([&](std::size_t i) { return normal_real(plan.seed, i, plan.a, plan.b); });
  }
}

Result<void> fill_from_file(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  auto read = read_npy({plan.file, plan.array}, type, buffer);
  if (!read || plan.seed == 0) return read;
  const std::vector<std::byte> original(buffer.begin(), buffer.end());
  const std::size_t size = element_size(type), count = buffer.size() / size;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = drawn_place(plan.seed, i, count) * size;
    std::ranges::copy(std::span(original).subspan(from, size),
                      buffer.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  return read;
}

}  // namespace

Result<void> fill_contents(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  if (plan.kind == ContentsKind::file) return fill_from_file(type, plan, buffer);
  if (is_made_on_host(plan.kind)) return fill_structured(type, plan, buffer);
  if (is_complex(type) && plan.kind == ContentsKind::constant) {
    store_all_reals(part_type(type), buffer, [&](std::size_t i) { return i % 2 == 0 ? plan.a : 0; });
    return {};
  }
  if (is_complex(type)) return fill_contents(part_type(type), plan, buffer);
  if (plan.kind == ContentsKind::zero) {
    std::ranges::fill(buffer, std::byte{0});
  } else if (!is_floating(type)) {
    return fill_integers(type, plan, buffer);
  } else {
    fill_reals(type, plan, buffer);
  }
  return {};
}

void poison(std::span<const std::byte> expected, std::byte mask, std::span<std::byte> buffer) {
  if (expected.empty()) {
    std::ranges::fill(buffer, mask);
  } else {
    std::ranges::transform(expected, buffer.begin(), [mask](std::byte byte) { return byte ^ mask; });
  }
}

void fill_guard(std::span<std::byte> zone, GuardPattern pattern) {
  for (std::size_t i = 0; i < zone.size(); ++i) zone[i] = std::byte{guard_byte(pattern, i)};
}

std::optional<std::size_t> guard_violation(std::span<const std::byte> zone, GuardPattern pattern) {
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (zone[i] != std::byte{guard_byte(pattern, i)}) return i;
  }
  return std::nullopt;
}

}  // namespace gktune
