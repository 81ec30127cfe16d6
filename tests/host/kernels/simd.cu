// Integers as lanes of 16 or 8 bits. Thread i takes a[i], b[i] and c[i], and writes a row of results.

__global__ void lanes(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i], z = c[i];
  const unsigned results[] = {
      __vabs2(x),
      __vabs4(x),
      __vabsss2(x),
      __vabsss4(x),
      __vneg2(x),
      __vneg4(x),
      __vnegss2(x),
      __vnegss4(x),
      __vabsdiffs2(x, y),
      __vabsdiffs4(x, y),
      __vadd2(x, y),
      __vadd4(x, y),
      __vaddss2(x, y),
      __vaddss4(x, y),
      __vsub2(x, y),
      __vsub4(x, y),
      __vsubss2(x, y),
      __vsubss4(x, y),
      __vavgs2(x, y),
      __vavgs4(x, y),
      __vmaxs2(x, y),
      __vmaxs4(x, y),
      __vmins2(x, y),
      __vmins4(x, y),
      __vcmpges2(x, y),
      __vcmpges4(x, y),
      __vcmpgts2(x, y),
      __vcmpgts4(x, y),
      __vcmples2(x, y),
      __vcmples4(x, y),
      __vcmplts2(x, y),
      __vcmplts4(x, y),
      __vsetges2(x, y),
      __vsetges4(x, y),
      __vsetgts2(x, y),
      __vsetgts4(x, y),
      __vsetles2(x, y),
      __vsetles4(x, y),
      __vsetlts2(x, y),
      __vsetlts4(x, y),
      __vabsdiffu2(x, y),
      __vabsdiffu4(x, y),
      __vaddus2(x, y),
      __vaddus4(x, y),
      __vsubus2(x, y),
      __vsubus4(x, y),
      __vavgu2(x, y),
      __vavgu4(x, y),
      __vhaddu2(x, y),
      __vhaddu4(x, y),
      __vmaxu2(x, y),
      __vmaxu4(x, y),
      __vminu2(x, y),
      __vminu4(x, y),
      __vcmpeq2(x, y),
      __vcmpeq4(x, y),
      __vcmpne2(x, y),
      __vcmpne4(x, y),
      __vcmpgeu2(x, y),
      __vcmpgeu4(x, y),
      __vcmpgtu2(x, y),
      __vcmpgtu4(x, y),
      __vcmpleu2(x, y),
      __vcmpleu4(x, y),
      __vcmpltu2(x, y),
      __vcmpltu4(x, y),
      __vseteq2(x, y),
      __vseteq4(x, y),
      __vsetne2(x, y),
      __vsetne4(x, y),
      __vsetgeu2(x, y),
      __vsetgeu4(x, y),
      __vsetgtu2(x, y),
      __vsetgtu4(x, y),
      __vsetleu2(x, y),
      __vsetleu4(x, y),
      __vsetltu2(x, y),
      __vsetltu4(x, y),
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
