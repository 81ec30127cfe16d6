// Integer intrinsics. Thread i takes a[i], b[i] and c[i], and writes a row of results.

__global__ void bits(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i], z = c[i];
  const unsigned long long wide = (static_cast<unsigned long long>(x) << 32) | y;
  unsigned* row = out + i * 24;
  row[0] = __popc(x);
  row[1] = __clz(x);
  row[2] = __ffs(x);
  row[3] = __brev(x);
  row[4] = __popcll(wide);
  row[5] = __clzll(wide);
  row[6] = __ffsll(wide);
  row[7] = static_cast<unsigned>(__brevll(wide) >> 32);
  row[8] = __byte_perm(x, y, z);
  row[9] = __funnelshift_l(x, y, z);
  row[10] = __funnelshift_r(x, y, z);
  row[11] = __funnelshift_lc(x, y, z & 63);
  row[12] = __funnelshift_rc(x, y, z & 63);
  row[13] = __mul24(static_cast<int>(x), static_cast<int>(y));
  row[14] = __umul24(x, y);
  row[15] = __mulhi(static_cast<int>(x), static_cast<int>(y));
  row[16] = __umulhi(x, y);
  row[17] = static_cast<unsigned>(__umul64hi(wide, wide + z) >> 32);
  row[18] = static_cast<unsigned>(__mul64hi(static_cast<long long>(wide), static_cast<long long>(z)));
  row[19] = __sad(static_cast<int>(x), static_cast<int>(y), z);
  row[20] = __usad(x, y, z);
  row[21] = __hadd(static_cast<int>(x), static_cast<int>(y));
  row[22] = __uhadd(x, y);
  row[23] = __dp4a(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
}

__global__ void nth_bits(const unsigned* mask, const unsigned* base, const int* offset, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __fns(mask[i], base[i], offset[i]);
}

__global__ void minimum_maximum(const int* a, const int* b, long long* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = a[i], y = b[i];
  long long* row = out + i * 8;
  row[0] = min(x, y);
  row[1] = max(x, y);
  row[2] = min(static_cast<unsigned>(x), static_cast<unsigned>(y));
  row[3] = max(static_cast<unsigned>(x), static_cast<unsigned>(y));
  row[4] = min(x, static_cast<unsigned>(y));
  row[5] = max(static_cast<long long>(x), static_cast<long long>(y) * 3);
  row[6] = abs(x);
  row[7] = umin(static_cast<unsigned>(x), static_cast<unsigned>(y));
}

__global__ void reinterpretations(const float* in, int* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double wide = in[i];
  int* row = out + i * 6;
  row[0] = __float_as_int(in[i]);
  row[1] = static_cast<int>(__float_as_uint(-in[i]));
  row[2] = __int_as_float(row[0]) == in[i] || in[i] != in[i];
  row[3] = __double2hiint(wide);
  row[4] = __double2loint(wide);
  row[5] = __hiloint2double(row[3], row[4]) == wide || wide != wide;
}
