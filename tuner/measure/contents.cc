#include "tuner/measure/contents.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tuner/array/npy.h"
#include "tuner/measure/element.h"
#include "tuner/measure/generator.h"

namespace gktune {
namespace {

std::span<const std::byte> bytes_of(const auto& numbers) { return std::as_bytes(std::span(numbers)); }

void add_weights(Structure& structure, StructureTables& tables) {
  std::vector<double> sums = tables.block_weights(structure, weight_count(structure) / kStructureBlock + 1);
  structure.total = 0;
  for (double& sum : sums) structure.total += std::exchange(sum, structure.total);
  structure.sums_before = static_cast<const double*>(tables.keep(bytes_of(sums)));
}

// Tables in this process's memory.
class HostTables final : public StructureTables {
 public:
  std::vector<double> block_weights(const Structure& structure, std::uint64_t blocks) override {
    std::vector<double> weights(blocks);
    in_parallel(blocks, kLeastBlocks, [&](std::size_t first, std::size_t end) {
      for (std::size_t block = first; block < end; ++block) weights[block] = block_weight(structure, block);
    });
    return weights;
  }
  const void* make(const Structure& structure, ElementType type, std::uint64_t count) override {
    std::vector<std::byte>& table = tables_.emplace_back(count * element_size(type));
    fill(structure, type, table);
    return table.data();
  }
  const void* keep(std::span<const std::byte> bytes) override {
    return tables_.emplace_back(bytes.begin(), bytes.end()).data();
  }
  static void fill(const Structure& structure, ElementType type, std::span<std::byte> buffer) {
    const std::uint64_t size = element_size(type), count = buffer.size() / size;
    const auto real = [&](std::uint64_t i, double value) {
      store_real(type, buffer.data() + i * size, value);
    };
    const auto integer = [&](std::uint64_t i, std::uint64_t bits) {
      store_bits(type, buffer.data() + i * size, bits);
    };
    const std::uint64_t blocks = (count + kStructureBlock - 1) / kStructureBlock;
    in_parallel(blocks, kLeastBlocks, [&](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t block = first; block < end; ++block) {
        make_structured(structure, is_floating(type), block * kStructureBlock,
                        std::min<std::uint64_t>(count, (block + 1) * kStructureBlock), real, integer);
      }
    });
  }

 private:
  static constexpr std::size_t kLeastBlocks = 16;
  std::deque<std::vector<std::byte>> tables_;
};

// Moves nonzeros from rows that would be longer than the matrix is wide to rows with room.
std::vector<unsigned long long> with_bounded_rows(std::vector<unsigned long long> offsets,
                                                  unsigned long long columns) {
  std::vector<unsigned long long> sizes(offsets.size() - 1);
  unsigned long long rest = offsets.back();
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    sizes[row] = std::min(columns, offsets[row + 1] - offsets[row]);
    rest -= sizes[row];
  }
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    const unsigned long long more = std::min(rest, columns - sizes[row]);
    rest -= more;
    offsets[row + 1] = offsets[row] + sizes[row] + more;
  }
  return offsets;
}

void add_offsets(Structure& structure, StructureTables& tables) {
  const std::uint64_t count = structure.rows + 1;
  add_weights(structure, tables);
  const double longest = static_cast<double>(structure.nonzeros) / structure.total;  // no weight is above 1
  if (structure.rows == 0 || longest + 2 <= static_cast<double>(structure.columns)) return;
  HostTables own;
  Structure unbounded = structure;
  add_weights(unbounded, own);
  const auto* offsets =
      static_cast<const unsigned long long*>(own.make(unbounded, ElementType::uint64, count));
  structure.offsets = static_cast<const unsigned long long*>(
      tables.keep(bytes_of(with_bounded_rows({offsets, offsets + count}, structure.columns))));
}

// True if a 64-bit integer fits the type.
bool holds(ElementType type, std::int64_t value) {
  std::byte bytes[8];
  store_bits(type, bytes, static_cast<std::uint64_t>(value));
  return static_cast<std::int64_t>(load_bits(type, bytes)) == value;
}

Error outside(ElementType type, std::int64_t value) {
  return {std::to_string(value) + " does not fit into " + std::string(element_type_name(type))};
}

void fill_integers(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  const auto a = static_cast<std::uint64_t>(plan.a_integer), b = static_cast<std::uint64_t>(plan.b_integer);
  const std::uint64_t count = buffer.size() / element_size(type);
  auto each = [&](auto&& bits_at) { store_all_bits(type, buffer, bits_at); };
  switch (plan.kind) {
    case ContentsKind::constant:
      return each([&](std::size_t) { return a; });
    case ContentsKind::ramp:  // wraps, as the type does
      return each([&](std::size_t i) { return a + b * drawn_place(plan.seed, i, count); });
    case ContentsKind::uniform:
      return each([&](std::size_t i) { return uniform_integer(plan.seed, i, a, b); });
    default: {
      const long long most = largest_integer(static_cast<int>(element_size(type)), is_signed_integer(type));
      const long long least = is_signed_integer(type) ? -most - 1 : 0;
      return each([&](std::size_t i) {
        return static_cast<std::uint64_t>(normal_integer(plan.seed, i, plan.a, plan.b, least, most));
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
  auto read = read_npy(plan.file, type, buffer);
  if (!read || plan.seed == 0) return read;
  const std::vector<std::byte> original(buffer.begin(), buffer.end());
  const std::size_t size = element_size(type), count = buffer.size() / size;
  in_parallel(count, kLeastElements, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i)
      std::memcpy(buffer.data() + i * size, original.data() + drawn_place(plan.seed, i, count) * size, size);
  });
  return read;
}

}  // namespace

Structure prepared(const ContentsPlan& plan, std::uint64_t count, StructureTables& tables) {
  const auto natural = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  const SparsePlan& sparse = plan.sparse;
  Structure structure{};
  structure.kind = static_cast<int>(plan.kind);
  structure.count = count;
  structure.seed = plan.seed;
  structure.a = plan.a;
  structure.b = plan.b;
  structure.a_integer = natural(plan.a_integer);
  structure.b_integer = natural(plan.b_integer);
  structure.width = natural(plan.width);
  structure.rows = natural(sparse.rows);
  structure.columns = natural(sparse.columns);
  structure.nonzeros = natural(sparse.nonzeros);
  structure.sparse_seed = sparse.seed;
  structure.lengths = static_cast<int>(sparse.lengths);
  structure.exponent = sparse.exponent;
  for (std::uint64_t i = 0; i < std::size(structure.waves); ++i) {
    structure.waves[i] = {uniform_integer(plan.seed, 3 * i, 1, 4),
                          uniform_integer(plan.seed, 3 * i + 1, 1, 4), unit_uniform(plan.seed, 3 * i + 2)};
  }

  if (plan.kind == ContentsKind::sorted) add_weights(structure, tables);
  if (plan.kind == ContentsKind::csr_offsets) add_offsets(structure, tables);
  if (plan.kind == ContentsKind::zipf) {
    Structure sums = structure;
    sums.gives_sums = true;
    add_weights(sums, tables);
    structure.total = sums.total;
    structure.sums = static_cast<const double*>(tables.make(sums, ElementType::float64, structure.a_integer));
  }
  if (plan.kind == ContentsKind::csr_columns) {
    Structure offsets = structure;
    offsets.kind = kCsrOffsets;
    add_offsets(offsets, tables);
    structure.offsets = offsets.offsets != nullptr ? offsets.offsets
                                                   : static_cast<const unsigned long long*>(tables.make(
                                                         offsets, ElementType::uint64, structure.rows + 1));
  }
  return structure;
}

Result<void> check_contents(ElementType type, const ContentsPlan& plan, std::uint64_t count) {
  if (plan.kind == ContentsKind::permutation) {
    const auto bits = static_cast<int>(element_size(type) * 8) - (is_signed_integer(type) ? 1 : 0);
    if (bits < 64 && count > 0 && (count - 1) >> bits != 0)
      return Error{"permutation: " + std::to_string(count - 1) + " does not fit into " +
                   std::string(element_type_name(type))};
  }
  if (is_floating(type)) return {};
  if (plan.kind == ContentsKind::constant && !holds(type, plan.a_integer))
    return outside(type, plan.a_integer);
  if (plan.kind != ContentsKind::uniform) return {};
  for (std::int64_t bound : {plan.a_integer, plan.b_integer}) {
    if (!holds(type, bound)) return outside(type, bound);
  }
  if (plan.a_integer > plan.b_integer) {
    return Error{"uniform from " + std::to_string(plan.a_integer) + " to " + std::to_string(plan.b_integer) +
                 ": the first must not be the greater"};
  }
  return {};
}

Result<void> fill_contents(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  if (plan.kind == ContentsKind::file) return fill_from_file(type, plan, buffer);
  const std::uint64_t count = buffer.size() / element_size(type);
  GKTUNE_TRY(check_contents(type, plan, count));
  if (is_structured(plan.kind)) {
    HostTables tables;
    HostTables::fill(prepared(plan, count, tables), type, buffer);
    return {};
  }
  if (is_complex(type) && plan.kind == ContentsKind::constant) {
    store_all_reals(part_type(type), buffer, [&](std::size_t i) { return i % 2 == 0 ? plan.a : 0; });
    return {};
  }
  if (is_complex(type)) return fill_contents(part_type(type), plan, buffer);
  if (plan.kind == ContentsKind::zero) {
    std::ranges::fill(buffer, std::byte{0});
  } else if (!is_floating(type)) {
    fill_integers(type, plan, buffer);
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
