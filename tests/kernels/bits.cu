// Kernels on the bits of integers, and plain references.
constexpr int kThreads = 128;
constexpr int kUnroll = 1;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void set_bits(const ulonglong2* in, int* out, int pairs) {
  const int i = own_index();
  if (i < pairs) out[i] = __popcll(in[i].x) + __popcll(in[i].y);
}
__global__ void set_bits_reference(const unsigned long long* in, int* out, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    out[i] = 0;
    for (int bit = 0; bit < 128; ++bit) out[i] += in[2 * i + bit / 64] >> bit % 64 & 1;
  }
}

__global__ void mirrored_bits(const unsigned* in, unsigned* out, int n) {
  const int i = own_index();
  if (i < n) out[i] = __brev(in[i]) ^ __clz(in[i]) ^ __ffs(in[i]);
}
__global__ void mirrored_bits_reference(const unsigned* in, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned mirrored = 0, before = 32, first = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((in[i] >> bit & 1) == 0) continue;
      mirrored |= 1u << (31 - bit);
      before = 31 - bit;
      if (first == 0) first = bit + 1;
    }
    out[i] = mirrored ^ before ^ first;
  }
}

// The number of ones in front of each word of a tile.
__global__ void ones_before(const unsigned* in, int* out, int n) {
  __shared__ int of_warps[kThreads / 32];
  const int i = own_index(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int own = i < n ? __popc(in[i]) : 0;
  int sum = own;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += before;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  for (int other = 0; other < warp; ++other) sum += of_warps[other];
  if (i < n) out[i] = sum - own;
}
__global__ void ones_before_reference(const unsigned* in, int* out, int n, int tile) {
  for (int i = 0, sum = 0; i < n; ++i) {
    if (i % tile == 0) sum = 0;
    out[i] = sum;
    for (unsigned word = in[i]; word != 0; word &= word - 1) ++sum;
  }
}

// Codes that a single wrong bit does not spoil, from a table.
__constant__ unsigned char kCodes[16] = {0, 210, 85, 135, 153, 75, 204, 30, 225, 51, 180, 102, 120, 170, 45, 255};
__global__ void coded(const unsigned char* in, uchar2* out, int n) {
  const int i = own_index();
  if (i < n) out[i] = make_uchar2(kCodes[in[i] & 15], kCodes[in[i] >> 4]);
}
__global__ void coded_reference(const unsigned char* in, unsigned char* out, int n) {
  for (int i = 0; i < 2 * n; ++i) out[i] = kCodes[in[i / 2] >> 4 * (i % 2) & 15];
}

// Each thread draws many numbers.
__device__ unsigned long long drawn(unsigned long long state, int draws) {
  for (int k = 0; k < draws; ++k) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
  }
  return state * 2685821657736338717ull;
}
__global__ void drawn_numbers(const unsigned long long* seeds, unsigned long long* out, int n, int draws) {
#pragma unroll kUnroll
  for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) out[i] = drawn(seeds[i] | 1, draws);
}
__global__ void drawn_numbers_reference(const unsigned long long* seeds, unsigned long long* out, int n, int draws) {
  for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) out[i] = drawn(seeds[i] | 1, draws);
}

__device__ unsigned mixed(unsigned hash, unsigned word) {
  word *= 0xcc9e2d51u;
  word = word << 15 | word >> 17;
  hash ^= word * 0x1b873593u;
  return (hash << 13 | hash >> 19) * 5 + 0xe6546b64u;
}
__global__ void digests(const uint4* keys, unsigned* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  const uint4 key = keys[i];
  out[i] = mixed(mixed(mixed(mixed(42, key.x), key.y), key.z), key.w);
}
__global__ void digests_reference(const unsigned* keys, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = 42;
    for (int k = 0; k < 4; ++k) out[i] = mixed(out[i], keys[4 * i + k]);
  }
}

__global__ void common_divisors(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  const int twos = __ffs(x | y) - 1;
  x >>= __ffs(x) - 1;
  while (y != 0) {
    y >>= __ffs(y) - 1;
    const unsigned less = min(x, y);
    y = max(x, y) - less;
    x = less;
  }
  out[i] = x << twos;
}
__global__ void common_divisors_reference(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned x = a[i], y = b[i];
    while (y != 0) {
      const unsigned rest = x % y;
      x = y;
      y = rest;
    }
    out[i] = x;
  }
}

__global__ void integer_roots(const unsigned* in, unsigned* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  unsigned root = 0;
  for (int bit = 15; bit >= 0; --bit) {
    const unsigned next = root | 1u << bit;
    if (next * next <= in[i]) root = next;
  }
  out[i] = root;
}
__global__ void integer_roots_reference(const unsigned* in, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned long long root = 0;
    while ((root + 1) * (root + 1) <= in[i]) ++root;
    out[i] = static_cast<unsigned>(root);
  }
}

// Days since 1970 as year, month and day.
__device__ int4 date(int days) {
  const int from_march = days + 719468, era = from_march / 146097, day_of_era = from_march % 146097;
  const int year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int day_of_year = day_of_era - (365 * year + year / 4 - year / 100), month = (5 * day_of_year + 2) / 153;
  const int civil = month < 10 ? month + 3 : month - 9;
  return make_int4(year + era * 400 + (civil <= 2), civil, day_of_year - (153 * month + 2) / 5 + 1, 0);
}
__global__ void dates(const int* in, int4* out, int n) {
  const int i = own_index();
  if (i < n) out[i] = date(in[i]);
}
__global__ void dates_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    int days = in[i], year = 1970, month = 1;
    const auto length = [&] {
      const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
      return month == 2 ? 28 + is_leap : 30 + (month + month / 8) % 2;
    };
    while (days >= length()) {
      days -= length();
      if (++month > 12) month = 1, ++year;
    }
    const int parts[4] = {year, month, days + 1, 0};
    for (int k = 0; k < 4; ++k) out[4 * i + k] = parts[k];
  }
}
