#pragma once

#include "tuner/space/definition.h"

namespace gktune {

// The same kernel on buffers that begin one element later than memory that was asked for does: where loads of
// several elements find themselves misaligned. The element before is left alone, by the kernel as by its
// reference.
KernelDefinition shifted_kernel(KernelDefinition kernel);

}  // namespace gktune
