// Mathematics. Thread i takes x[i] and y[i], and writes a row of results.

__global__ void unary(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float* row = out + i * 36;
  row[0] = sqrtf(x);
  row[1] = rsqrtf(x);
  row[2] = cbrtf(x);
  row[3] = expf(x);
  row[4] = exp2f(x);
  row[5] = exp10f(x);
  row[6] = expm1f(x);
  row[7] = logf(x);
  row[8] = log2f(x);
  row[9] = log10f(x);
  row[10] = log1pf(x);
  row[11] = sinf(x);
  row[12] = cosf(x);
  row[13] = tanf(x);
  row[14] = atanf(x);
  row[15] = sinhf(x);
  row[16] = coshf(x);
  row[17] = tanhf(x);
  row[18] = erff(x);
  row[19] = erfcf(x);
  row[20] = floorf(x);
  row[21] = ceilf(x);
  row[22] = truncf(x);
  row[23] = roundf(x);
  row[24] = rintf(x);
  row[25] = fabsf(x);
  row[26] = sqrt(x);
  row[27] = exp(x);
  row[28] = abs(-x);
  row[29] = sinpif(x);
  row[30] = cospif(x);
  row[31] = normcdff(x);
  row[32] = __saturatef(x);
  row[33] = asinhf(x);
  row[34] = static_cast<float>(isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x));
  row[35] = rcbrtf(x);
}

// The ones that a GPU does not do as exactly.
__global__ void fast(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float* row = out + i * 12;
  row[0] = __expf(x);
  row[1] = __logf(x);
  row[2] = __sinf(x);
  row[3] = __cosf(x);
  row[4] = __powf(x, 1.5f);
  row[5] = __fdividef(x, 3.0f);
  __sincosf(x, row + 6, row + 7);
  row[8] = __tanf(x);
  row[9] = __log2f(x);
  row[10] = __log10f(x);
  row[11] = __exp10f(x);
}

__global__ void binary(const float* a, const float* b, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = a[i], y = b[i];
  float* row = out + i * 16;
  row[0] = fmaf(x, y, -x);
  row[1] = powf(x, y);
  row[2] = atan2f(x, y);
  row[3] = fmodf(x, y);
  row[4] = hypotf(x, y);
  row[5] = fminf(x, y);
  row[6] = fmaxf(x, y);
  row[7] = fdimf(x, y);
  row[8] = copysignf(x, y);
  row[9] = remainderf(x, y);
  row[10] = min(x, y);
  row[11] = max(x, y);
  row[12] = __fadd_rn(x, y) * 0 + __fmul_rn(x, y);
  row[13] = __fdiv_rn(x, y);
  row[14] = ldexpf(x, 3);
  row[15] = pow(x, 2.0f);
}

__global__ void in_double(const double* a, const double* b, double* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = a[i], y = b[i];
  double* row = out + i * 12;
  row[0] = sqrt(x);
  row[1] = rsqrt(x);
  row[2] = exp(x);
  row[3] = log(x);
  row[4] = sin(x);
  row[5] = fma(x, y, -x);
  row[6] = pow(x, y);
  row[7] = fmin(x, y);
  row[8] = max(x, y);
  row[9] = floor(x);
  row[10] = tanh(x);
  row[11] = __dmul_rn(x, y);
}

__global__ void to_integers(const float* in, long long* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  long long* row = out + i * 12;
  row[0] = __float2int_rn(x);
  row[1] = __float2int_rz(x);
  row[2] = __float2int_ru(x);
  row[3] = __float2int_rd(x);
  row[4] = __float2uint_rn(x);
  row[5] = __float2uint_rz(x);
  row[6] = __float2ll_rn(x);
  row[7] = static_cast<long long>(__float2ull_rz(x));
  row[8] = __double2int_rn(x);
  row[9] = __double2ll_rd(x);
  row[10] = lrintf(x < 1e9f && x > -1e9f ? x : 0.0f);
  row[11] = llroundf(x < 1e9f && x > -1e9f ? x : 0.0f);
}

__global__ void from_integers(const long long* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long x = in[i];
  float* row = out + i * 8;
  row[0] = __int2float_rn(static_cast<int>(x));
  row[1] = __int2float_rz(static_cast<int>(x));
  row[2] = __int2float_ru(static_cast<int>(x));
  row[3] = __int2float_rd(static_cast<int>(x));
  row[4] = __uint2float_rz(static_cast<unsigned>(x));
  row[5] = __ll2float_rn(x);
  row[6] = __ll2float_rd(x);
  row[7] = __double2float_ru(static_cast<double>(x) / 3.0);
}

__global__ void special(const double* in, double* out, float* narrow) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = in[i];
  const float f = static_cast<float>(x);
  double* row = out + i * 12;
  row[0] = erfinv(x * 0.0625);
  row[1] = erfcinv(x);
  row[2] = normcdfinv(x * 0.25);
  row[3] = erfcx(x);
  row[4] = j0(x);
  row[5] = j1(x);
  row[6] = jn(3, x);
  row[7] = y0(x);
  row[8] = y1(x);
  row[9] = yn(2, x);
  row[10] = cyl_bessel_i0(x);
  row[11] = cyl_bessel_i1(x);
  float* narrow_row = narrow + i * 12;
  narrow_row[0] = erfinvf(f * 0.0625f);
  narrow_row[1] = erfcinvf(f);
  narrow_row[2] = normcdfinvf(f * 0.25f);
  narrow_row[3] = erfcxf(f);
  narrow_row[4] = j0f(f);
  narrow_row[5] = j1f(f);
  narrow_row[6] = jnf(3, f);
  narrow_row[7] = y0f(f);
  narrow_row[8] = y1f(f);
  narrow_row[9] = ynf(2, f);
  narrow_row[10] = cyl_bessel_i0f(f);
  narrow_row[11] = cyl_bessel_i1f(f);
}

// The results of +, -, *, /, 1/x, sqrt and fma in one rounding mode.
#define WIDE(mode)                                                                                        \
  __dadd_##mode(x, y), __dsub_##mode(x, y), __dmul_##mode(x, y), __ddiv_##mode(x, y), __drcp_##mode(x), \
      __dsqrt_##mode(x), __fma_##mode(x, y, x)
#define NARROW(mode)                                                                                      \
  __fadd_##mode(f, g), __fsub_##mode(f, g), __fmul_##mode(f, g), __fdiv_##mode(f, g), __frcp_##mode(f), \
      __fsqrt_##mode(f), __fmaf_##mode(f, g, f)

// In each mode: down, up, towards zero, to nearest.
__global__ void rounded(const double* a, const double* b, double* out, float* narrow) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = a[i], y = b[i];
  const float f = static_cast<float>(x), g = static_cast<float>(y);
  const double row[] = {WIDE(rd), WIDE(ru), WIDE(rz), WIDE(rn)};
  const float narrow_row[] = {NARROW(rd), NARROW(ru), NARROW(rz), NARROW(rn)};
  for (unsigned k = 0; k < 28; ++k) {
    out[i * 28 + k] = row[k];
    narrow[i * 28 + k] = narrow_row[k];
  }
}
