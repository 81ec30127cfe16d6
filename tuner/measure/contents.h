#pragma once

#include <cstddef>
#include <span>

#include "tuner/core/contents_plan.h"
#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Fills a buffer as the plan says. An error names a bound outside the type or a file that does not fit.
Result<void> fill_contents(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer);

// Fills a buffer with the expected bytes, each with the bits of the mask flipped; with the mask itself if
// `expected` is empty.
void poison(std::span<const std::byte> expected, std::byte mask, std::span<std::byte> buffer);

}  // namespace gktune
