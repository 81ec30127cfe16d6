// Integers as lanes of 16 or 8 bits. Thread i takes a[i], b[i] and c[i], and writes a row of results.

// With lanes of 16 and of 8 bits.
#define BOTH(name, ...) name##2(__VA_ARGS__), name##4(__VA_ARGS__)

__global__ void lanes(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i], z = c[i];
  const unsigned results[] = {
      BOTH(__vabs, x),
      BOTH(__vabsss, x),
      BOTH(__vneg, x),
      BOTH(__vnegss, x),
      BOTH(__vabsdiffs, x, y),
      BOTH(__vadd, x, y),
      BOTH(__vaddss, x, y),
      BOTH(__vsub, x, y),
      BOTH(__vsubss, x, y),
      BOTH(__vavgs, x, y),
      BOTH(__vmaxs, x, y),
      BOTH(__vmins, x, y),
      BOTH(__vcmpges, x, y),
      BOTH(__vcmpgts, x, y),
      BOTH(__vcmples, x, y),
      BOTH(__vcmplts, x, y),
      BOTH(__vsetges, x, y),
      BOTH(__vsetgts, x, y),
      BOTH(__vsetles, x, y),
      BOTH(__vsetlts, x, y),
      BOTH(__vabsdiffu, x, y),
      BOTH(__vaddus, x, y),
      BOTH(__vsubus, x, y),
      BOTH(__vavgu, x, y),
      BOTH(__vhaddu, x, y),
      BOTH(__vmaxu, x, y),
      BOTH(__vminu, x, y),
      BOTH(__vcmpeq, x, y),
      BOTH(__vcmpne, x, y),
      BOTH(__vcmpgeu, x, y),
      BOTH(__vcmpgtu, x, y),
      BOTH(__vcmpleu, x, y),
      BOTH(__vcmpltu, x, y),
      BOTH(__vseteq, x, y),
      BOTH(__vsetne, x, y),
      BOTH(__vsetgeu, x, y),
      BOTH(__vsetgtu, x, y),
      BOTH(__vsetleu, x, y),
      BOTH(__vsetltu, x, y),
      __viaddmax_s16x2(x, y, z),
      __viaddmin_s16x2(x, y, z),
      __vimax3_s16x2(x, y, z),
      __vimin3_s16x2(x, y, z),
      __viaddmax_u16x2(x, y, z),
      __viaddmin_u16x2(x, y, z),
      __vimax3_u16x2(x, y, z),
      __vimin3_u16x2(x, y, z),
      __viaddmax_s16x2_relu(x, y, z),
      __viaddmin_s16x2_relu(x, y, z),
      __vimax3_s16x2_relu(x, y, z),
      __vimin3_s16x2_relu(x, y, z),
      __vimax_s16x2_relu(x, y),
      __vimin_s16x2_relu(x, y),
  };
  for (int k = 0; k < 92; ++k) out[i * 92 + k] = results[k];
}

__global__ void sums(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i], z = c[i];
  const int sx = static_cast<int>(x), sy = static_cast<int>(y), sz = static_cast<int>(z);
  unsigned* row = out + i * 20;
  row[0] = __vsads2(x, y);
  row[1] = __vsads4(x, y);
  row[2] = __vsadu2(x, y);
  row[3] = __vsadu4(x, y);
  row[4] = __dp2a_lo(sx, sy, sz);
  row[5] = __dp2a_hi(sx, sy, sz);
  row[6] = __dp2a_lo(x, y, z);
  row[7] = __dp2a_hi(x, y, z);
  bool high = false, low = false;
  row[8] = __vibmax_s16x2(x, y, &high, &low);
  row[9] = high * 2 + low;
  row[10] = __vibmin_u16x2(x, y, &high, &low);
  row[11] = high * 2 + low;
  row[12] = __vibmax_s32(sx, sy, &low);
  row[13] = low;
  row[14] = __vibmin_u32(x, y, &low);
  row[15] = low;
  row[16] = __viaddmax_s32(sx, 5, sz);
  row[17] = __viaddmin_s32_relu(sx, 5, sz);
  row[18] = __vimax3_u32(x, y, z);
  row[19] = __vimin_s32_relu(sx, sy);
}
