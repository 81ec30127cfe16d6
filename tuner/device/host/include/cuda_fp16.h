#pragma once

#include "gktune/float16_functions.h"

using __half = ::gktune::kernel::Float16<::gktune::kernel::HalfFormat>;
using __half2 = ::gktune::kernel::Float16x2<::gktune::kernel::HalfFormat>;
using half = __half;
using half2 = __half2;
struct __half_raw {
  unsigned short x;
};

GKTUNE_FLOAT16_NAMES(half, __half, __half2)
