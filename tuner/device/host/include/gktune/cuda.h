#pragma once

// Declarations that a CUDA source has without including a header.

#define GKTUNE_HOST_DEVICE 1

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gktune/atomics.h"
#include "gktune/bits.h"
#include "gktune/conversions.h"
#include "gktune/math.h"
#include "gktune/memory.h"
#include "gktune/rounding.h"
#include "gktune/special.h"
#include "gktune/thread.h"
#include "gktune/vector_types.h"
#include "gktune/warp.h"

extern "C" void* malloc(size_t bytes) noexcept;
extern "C" void free(void* pointer) noexcept;
