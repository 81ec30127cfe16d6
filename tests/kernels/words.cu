// Bytes, bits and texts.
constexpr int kThreads = 64;

__constant__ char kDigits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes become four digits.
__global__ void base64(const uchar3* in, uchar4* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = in[i].x << 16 | in[i].y << 8 | in[i].z;
  const auto digit = [&](int k) { return static_cast<unsigned char>(kDigits[bits >> (18 - 6 * k) & 63]); };
  out[i] = make_uchar4(digit(0), digit(1), digit(2), digit(3));
}
__global__ void base64_reference(const unsigned char* in, unsigned char* out, int n) {
  for (int i = 0; i < 4 * n; ++i) {
    const int bit = 6 * (i % 4), at = 3 * (i / 4) + bit / 8;
    const int next = at + 1 < 3 * n ? in[at + 1] : 0;
    out[i] = static_cast<unsigned char>(kDigits[(in[at] << 8 | next) >> (10 - bit % 8) & 63]);
  }
}

// The other byte order, sixteen bytes at a time.
__global__ void other_order(const uint4* in, uint4* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const uint4 words = in[i];
  out[i] = make_uint4(__byte_perm(words.x, 0, 0x0123), __byte_perm(words.y, 0, 0x0123),
                      __byte_perm(words.z, 0, 0x0123), __byte_perm(words.w, 0, 0x0123));
}
__global__ void other_order_reference(const unsigned char* in, unsigned char* out, int n) {
  for (int i = 0; i < 16 * n; ++i) out[i] = in[i / 4 * 4 + 3 - i % 4];
}

// The bits of two coordinates in turn; and back, with the count of zeros in front.
__device__ unsigned spread(unsigned x) {
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}
__global__ void morton(const unsigned short* x, const unsigned short* y, uint2* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n)
    out[i] = make_uint2(spread(x[i]) | spread(y[i]) << 1,
                        __clz(x[i]) + 100 * __ffs(y[i]) + 10000 * (__brev(x[i]) >> 31));
}
__global__ void morton_reference(const unsigned short* x, const unsigned short* y, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned code = 0, zeros = 32, lowest = 0;
    for (int bit = 0; bit < 16; ++bit) {
      code |= (x[i] >> bit & 1u) << 2 * bit | (y[i] >> bit & 1u) << (2 * bit + 1);
      if (x[i] >> bit & 1) zeros = 31 - bit;
      if (lowest == 0 && y[i] >> bit & 1) lowest = bit + 1;
    }
    out[2 * i] = code;
    out[2 * i + 1] = zeros + 100 * lowest + 10000 * (x[i] & 1u);
  }
}

// Where a short text occurs in a long one: the block's part and what reaches beyond it lie in shared memory.
__global__ void occurrences(const char* text, const char* word, unsigned char* out, int n, int length) {
  extern __shared__ char part[];
  const int first = blockIdx.x * kThreads;
  for (int k = threadIdx.x; k < kThreads + length - 1; k += kThreads)
    part[k] = first + k < n ? text[first + k] : 0;
  __syncthreads();
  const int i = first + threadIdx.x;
  if (i >= n) return;
  int k = 0;
  while (k < length && part[threadIdx.x + k] == word[k]) ++k;
  out[i] = k == length;
}
__global__ void occurrences_reference(const char* text, const char* word, unsigned char* out, int n,
                                      int length) {
  for (int i = 0; i < n; ++i) {
    out[i] = i + length <= n;
    for (int k = 0; k < length && out[i]; ++k) out[i] = text[i + k] == word[k];
  }
}

// How many letters differ, are missing or too many: anti-diagonals of a table, of which three are kept.
__global__ void edit_distance(const char* a, const char* b, int* out, int length) {
  extern __shared__ int diagonals[];
  const char* own_a = a + blockIdx.x * length;
  const char* own_b = b + blockIdx.x * length;
  for (int sum = 0; sum <= 2 * length; ++sum) {
    int* now = diagonals + sum % 3 * (length + 1);
    const int* last = diagonals + (sum + 2) % 3 * (length + 1);
    const int* before = diagonals + (sum + 1) % 3 * (length + 1);
    for (int i = threadIdx.x; i <= length; i += kThreads) {
      const int j = sum - i;
      if (j < 0 || j > length) continue;
      if (i == 0 || j == 0) {
        now[i] = sum;
      } else {
        now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (own_a[i - 1] != own_b[j - 1]));
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = diagonals[2 * length % 3 * (length + 1) + length];
}
__global__ void edit_distance_reference(const char* a, const char* b, int* out, int length, int count) {
  for (int pair = 0; pair < count; ++pair) {
    int row[64];
    for (int j = 0; j <= length; ++j) row[j] = j;
    for (int i = 1; i <= length; ++i) {
      int corner = row[0];
      row[0] = i;
      for (int j = 1; j <= length; ++j) {
        int best = corner + (a[pair * length + i - 1] != b[pair * length + j - 1]);
        corner = row[j];
        best = best < row[j] + 1 ? best : row[j] + 1;
        row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
      }
    }
    out[pair] = row[length];
  }
}

// Words of a text: a word begins at a letter behind something else. Each block counts its own.
__global__ void word_counts(const char* text, int* out, int n) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const bool begins = i < n && is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
  const int count = __syncthreads_count(begins);
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
__global__ void word_counts_reference(const char* text, int* out, int n, int tile) {
  bool was_letter = false;
  for (int i = 0; i < n; ++i) {
    const bool is_letter = text[i] >= 'a' && text[i] <= 'z';
    if (i % tile == 0) out[i / tile] = 0;
    out[i / tile] += is_letter && !was_letter;
    was_letter = is_letter;
  }
}

// Powers of numbers of 64 bits modulo a prime number.
__global__ void powers(const unsigned* bases, unsigned exponent, unsigned prime, unsigned* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  unsigned long long result = 1, base = bases[i] % prime;
  for (unsigned left = exponent; left > 0; left >>= 1) {
    if (left & 1) result = result * base % prime;
    base = base * base % prime;
  }
  out[i] = static_cast<unsigned>(result);
}
__global__ void powers_reference(const unsigned* bases, unsigned exponent, unsigned prime, unsigned* out,
                                 int n) {
  for (int i = 0; i < n; ++i) {
    unsigned long long result = 1;
    for (unsigned k = 0; k < exponent; ++k) result = result * bases[i] % prime;
    out[i] = static_cast<unsigned>(result);
  }
}

// The most that fits into each capacity: one thing after the other, from one row of a table to the next.
__global__ void best_loads(const int* now, int* next, const int* weights, const int* values, int thing,
                           int capacity) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i > capacity) return;
  const int weight = weights[thing];
  next[i] = i >= weight ? max(now[i], now[i - weight] + values[thing]) : now[i];
}
__global__ void best_loads_reference(const int* weights, const int* values, int* out, int things,
                                     int capacity) {
  for (int i = 0; i <= capacity; ++i) out[i] = 0;
  for (int thing = 0; thing < things; ++thing) {
    for (int i = capacity; i >= weights[thing]; --i) {
      const int load = out[i - weights[thing]] + values[thing];
      out[i] = load > out[i] ? load : out[i];
    }
  }
}
