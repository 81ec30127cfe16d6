// Complex numbers as pairs of two reals.
#pragma once

#include "gktune/cuda.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define GKTUNE_COMPLEX(suffix, Complex, Real, Make, hypotenuse)                                              \
  inline Complex make_##Complex(Real real, Real imaginary) { return Make(real, imaginary); }      \
  inline Real cuCreal##suffix(Complex x) { return x.x; }                                          \
  inline Real cuCimag##suffix(Complex x) { return x.y; }                                          \
  inline Complex cuConj##suffix(Complex x) { return Make(x.x, -x.y); }                            \
  inline Complex cuCadd##suffix(Complex a, Complex b) { return Make(a.x + b.x, a.y + b.y); }      \
  inline Complex cuCsub##suffix(Complex a, Complex b) { return Make(a.x - b.x, a.y - b.y); }      \
  inline Complex cuCmul##suffix(Complex a, Complex b) {                                           \
    return Make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                               \
  }                                                                                                          \
  inline Complex cuCfma##suffix(Complex a, Complex b, Complex c) {                                \
    return cuCadd##suffix(cuCmul##suffix(a, b), c);                                                          \
  }                                                                                                          \
  /* Scaled, so that squares do not overflow. */                                                             \
  inline Complex cuCdiv##suffix(Complex a, Complex b) {                                           \
    const Real scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                \
    const Complex c = Make(a.x * scale, a.y * scale), d = Make(b.x * scale, b.y * scale);                    \
    const Real factor = 1 / (d.x * d.x + d.y * d.y);                                                         \
    return Make((c.x * d.x + c.y * d.y) * factor, (c.y * d.x - c.x * d.y) * factor);                         \
  }                                                                                                          \
  inline Real cuCabs##suffix(Complex x) { return hypotenuse(x.x, x.y); }

GKTUNE_COMPLEX(f, cuFloatComplex, float, make_float2, hypotf)
GKTUNE_COMPLEX(, cuDoubleComplex, double, make_double2, hypot)
#undef GKTUNE_COMPLEX

inline cuComplex make_cuComplex(float real, float imaginary) { return make_float2(real, imaginary); }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2(x.x, x.y); }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return make_float2(static_cast<float>(x.x), static_cast<float>(x.y));
}
