#pragma once

#include "gktune/float16_functions.h"

using __nv_bfloat16 = ::gktune::kernel::Float16<::gktune::kernel::BrainFormat>;
using __nv_bfloat162 = ::gktune::kernel::Float16x2<::gktune::kernel::BrainFormat>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
struct __nv_bfloat16_raw {
  unsigned short x;
};

GKTUNE_FLOAT16_NAMES(bfloat16, __nv_bfloat16, __nv_bfloat162)
