#pragma once

#include <cstddef>
#include <span>

#include "tuner/core/contents_plan.h"
#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Fills a buffer as the plan says. An error names what does not fit: a bound outside the type, a file.
Result<void> fill_contents(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer);

// What an output holds before a checked run, so that an element that is not written is seen: NaN, and for
// integers never what is expected, where that is known (otherwise it is empty).
void poison(ElementType type, std::span<const std::byte> expected, std::span<std::byte> buffer);

}  // namespace gktune
