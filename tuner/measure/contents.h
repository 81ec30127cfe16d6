#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gktune/element_type.h"
#include "gktune/result.h"
#include "tuner/core/embedded_file.h"
#include "tuner/core/plan_parts.h"
#include "tuner/measure/structures.h"

namespace gktune {

// An error names a number outside the type.
Result<void> check_contents(ElementType type, const ContentsPlan& plan, std::uint64_t count);
// Fills a buffer as the plan says. An error names a number outside the type or a file that does not fit.
Result<void> fill_contents(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer);

// Makes and keeps the tables that structured contents are made from, in the memory of one device.
class StructureTables {
 public:
  virtual ~StructureTables() = default;
  virtual std::vector<double> block_weights(const Structure& structure, std::uint64_t blocks) = 0;
  // A new table of these elements.
  virtual const void* make(const Structure& structure, ElementType type, std::uint64_t count) = 0;
  virtual const void* keep(std::span<const std::byte> bytes) = 0;
};
// For structured contents. Its addresses are those of the tables.
Structure prepared(const ContentsPlan& plan, std::uint64_t count, StructureTables& tables);

// Fills a buffer with the expected bytes, each with the bits of the mask flipped; with the mask itself if
// `expected` is empty.
void poison(std::span<const std::byte> expected, std::byte mask, std::span<std::byte> buffer);

// The size of the zone on either side of a buffer.
inline constexpr std::size_t kGuardBytes = 512;
// The next multiple of that size.
constexpr std::size_t rounded_to_guards(std::size_t bytes) {
  return (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
}

// Each buffer has a pattern of its own.
using GuardPattern = unsigned char;

void fill_guard(std::span<std::byte> zone, GuardPattern pattern);
// The offset of the first byte that differs from the pattern.
std::optional<std::size_t> guard_violation(std::span<const std::byte> zone, GuardPattern pattern);

// The texts of generator.h, structures.h and comparison.h, for device code that uses the same definitions.
// Each comes before those that include it, with its path in #include "…".
std::span<const EmbeddedFile> shared_headers();

}  // namespace gktune
