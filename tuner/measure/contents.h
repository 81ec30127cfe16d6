#pragma once

#include <cstddef>
#include <span>

#include "tuner/core/contents_plan.h"
#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Fills a buffer as the plan says. An error names a bound outside the type or a file that does not fit.
Result<void> fill_contents(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer);

// Fills an output before a checked run so that unwritten elements show: NaN, or for integers the inverted
// expected bits; all bits set if `expected` is empty.
void poison(ElementType type, std::span<const std::byte> expected, std::span<std::byte> buffer);

}  // namespace gktune
