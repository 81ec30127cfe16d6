// The device kernels as nvcc compiled them, if the build found nvcc (see CMakeLists.txt).
#include "tuner/device/cuda/device_kernels.h"

#ifdef GKTUNE_DEVICE_KERNELS
// The driver wants the code aligned.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".globl gktune_built_device_kernels, gktune_built_device_kernels_end\n"
    ".hidden gktune_built_device_kernels, gktune_built_device_kernels_end\n"
    "gktune_built_device_kernels: .incbin \"" GKTUNE_DEVICE_KERNELS "\"\n"
    "gktune_built_device_kernels_end:\n"
    ".popsection\n");
extern "C" const char gktune_built_device_kernels[], gktune_built_device_kernels_end[];
#endif

namespace gktune {

std::string_view built_device_kernels() {
#ifdef GKTUNE_DEVICE_KERNELS
  return {gktune_built_device_kernels, gktune_built_device_kernels_end};
#else
  return {};
#endif
}

}  // namespace gktune
