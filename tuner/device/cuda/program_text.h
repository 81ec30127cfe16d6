#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/cuda/flat_source.h"
#include "tuner/space/plan.h"

namespace gktune {

// What the compiler gets to see of one variant or several, which differ in macros and entries alone.
struct ProgramText {
  std::string text;
  std::vector<std::vector<std::string>> entries;  // of each variant, as the whole program calls them
};

// Whether several variants of this source can share a program, each in a namespace of its own.
bool can_share_program(const FlatSource& source);

// Whether kernels that a variant does not launch stay in its program.
enum class OtherKernels { keep, drop };

ProgramText program_of_one(const FlatSource& source, const SourcePlan& variant, OtherKernels others);

// Parses the headers once. Each variant's macros are set only around its own text, so that the machine code
// is that of the variant compiled alone. Asks for can_share_program. Other kernels are dropped.
ProgramText program_of_many(const FlatSource& source, std::span<const SourcePlan* const> variants);

// Which variant of a shared program a piece of the compiler's log is about.
std::optional<std::size_t> variant_in_log(std::string_view text);
// The piece as it would read had the variant been compiled alone.
std::string without_variant_names(std::string text);

}  // namespace gktune
