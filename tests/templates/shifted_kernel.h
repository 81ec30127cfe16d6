#pragma once

#include "tuner/space/definition.h"

namespace gktune {

// The same kernel on buffers that begin one element after the allocated memory, so that loads of several
// elements are misaligned. Neither the kernel nor its reference may change the element before.
KernelDefinition shifted_kernel(KernelDefinition kernel);

}  // namespace gktune
