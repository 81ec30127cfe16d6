#pragma once

#include <cstddef>
#include <span>

#include "tuner/core/contents_plan.h"
#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Fills a buffer whose elements depend on each other: sorted, permutation, zipf,
// field, csr_offsets, csr_columns.
Result<void> fill_structured(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer);

}  // namespace gktune
