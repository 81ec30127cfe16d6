#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/space/plan.h"

namespace gktune {

// The text that the compiler reads for one variant or several, which differ in macros and entries alone.
struct CudaText {
  std::string text;
  std::vector<std::vector<std::string>> entries;  // of each variant, by their names in the whole program
};

// True if several variants of this source can share a program, each in a namespace of its own.
bool can_share_text(const FlatSource& source);

CudaText cuda_text_of_one(const FlatSource& source, const SourcePlan& variant);

// Headers are parsed once. Each variant's macros are set around its own text only, so that the machine code
// is that of the variant compiled alone. Requires can_share_text.
CudaText cuda_text_of_many(const FlatSource& source, std::span<const SourcePlan* const> variants);

// The variant of a shared program that a piece of the compiler's log is about.
std::optional<std::size_t> variant_in_log(std::string_view text);
// The piece as it reads for a variant that is compiled alone.
std::string without_variant_names(std::string text);

}  // namespace gktune
